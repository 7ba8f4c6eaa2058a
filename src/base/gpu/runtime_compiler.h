// A vendor's compiler of kernels (NVRTC, HIPRTC), which compiles the program's text while it runs. Concilio
// is linked with none, and needs none.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace concilio {

struct RuntimeCompiler {
  std::vector<const char*> libraries;     // names of its versions, the first that is there is taken
  std::string prefix;                     // of its functions
  const char *get_code_bytes, *get_code;  // what follows the prefix
  // Compiles a text for the current device, or for all. If the program has not loaded the compiler, it is
  // loaded, and stays so.
  Result<std::string> compile(const char* text) const;
};

}  // namespace concilio
