#include "base/system/loaded_libraries.h"

#include <link.h>

#include <cstring>
#include <string_view>

namespace concilio {

// The walk over the libraries stops at the first one.
uint64_t libraries_loaded() {
  uint64_t loaded = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        *static_cast<uint64_t*>(out) = info->dlpi_adds;
        return 1;
      },
      &loaded);
  return loaded;
}

bool is_library_loaded(std::string_view beginning) {
  return dl_iterate_phdr(
             [](dl_phdr_info* info, size_t, void* wanted) {
               const char* slash = std::strrchr(info->dlpi_name, '/');
               const std::string_view name = slash ? slash + 1 : info->dlpi_name;
               return name.starts_with(*static_cast<const std::string_view*>(wanted)) ? 1 : 0;
             },
             &beginning) != 0;
}

}  // namespace concilio
