// The report of a run as a page for a browser: one file, which needs nothing else.
#pragma once

#include <string>

#include "summary/records.h"

namespace concilio::tools {

std::string render_page(const Report& report);

// Writes it to a file.
Status write_page(const std::string& path, const Report& report);

}  // namespace concilio::tools
