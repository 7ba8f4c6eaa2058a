// The settings of this process, which also decide which files Concilio takes over.
#pragma once

#include <string>

#include "base/settings/config.h"

namespace concilio::mpiio {

// The settings; the environment is read once.
const Config& process_config();

// A file name without the prefix that tells ROMIO the type of the file system ("ufs:", "nfs:", ...).
const char* plain_path(const char* path);

}  // namespace concilio::mpiio
