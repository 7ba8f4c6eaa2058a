// Which libraries the process has loaded.
#pragma once

#include <cstdint>
#include <string_view>

namespace concilio {

// How many libraries the process has loaded, over all its life. Asking for it takes the loader's lock but no
// search.
uint64_t libraries_loaded();

// Whether a library is loaded whose file name begins so, whatever its version is. The loader, asked
// for a library that is not loaded, would search the file system, by some hundred system calls.
bool is_library_loaded(std::string_view beginning);

}  // namespace concilio
