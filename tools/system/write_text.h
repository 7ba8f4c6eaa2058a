// A file with a text in it.
#pragma once

#include <string>

#include "base/result.h"

namespace concilio::tools {

// Makes the file, or replaces what is in it.
Status write_text(const std::string& path, const std::string& text);
// The same, as options such as --json=FILE ask for it: to stdout where the path is "-".
Status write_or_print(const std::string& path, const std::string& text);

}  // namespace concilio::tools
