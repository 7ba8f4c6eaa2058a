#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace concilio {

// A small file's bytes. Whatever the name stands for, it neither waits nor takes more memory than
// `most_bytes`: what is no regular file is refused, and so is a larger one. Messages do not name the file.
Result<std::string> read_file(const std::string& path, int64_t most_bytes);

// All that a file of ours or of the system holds, however much; of a pipe what comes until it ends.
Result<std::string> read_all(const std::string& path);

}  // namespace concilio
