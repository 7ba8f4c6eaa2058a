// The process's own settings, and which files they give to us.
#pragma once

#include <string>

#include "base/settings/config.h"

namespace concilio::mpiio {

// Read once.
const Config& process_config();

// A name without the prefix that names a file-system type to ROMIO ("ufs:", "nfs:", ...).
std::string plain_path(const char* path);

}  // namespace concilio::mpiio
