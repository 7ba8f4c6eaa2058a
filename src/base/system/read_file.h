#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace concilio {

// Returns the contents of a small file. Whatever `path` names, the call neither blocks nor takes more memory
// than `most_bytes`: it refuses what is not a regular file, and what is larger. Its messages do not name the
// file.
Result<std::string> read_file(const std::string& path, int64_t most_bytes);

// Returns the whole contents of a file of Concilio's or of the system's, however large. From a pipe, it reads
// until the pipe ends.
Result<std::string> read_all(const std::string& path);

}  // namespace concilio
