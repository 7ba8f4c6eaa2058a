#include "store/place/block_device.h"

#include <fmt/format.h>

#include <optional>

#include "base/system/read_file.h"
#include "base/text/whole_number.h"

namespace concilio::store {

StorageLayout::Medium medium_of_device(unsigned device_major, unsigned device_minor, const std::string& sys) {
  using Medium = StorageLayout::Medium;
  // A partition's queue is that of its device, whose folder is above the one that the link leads to.
  for (const char* queue : {"queue", "../queue"}) {
    constexpr int64_t most_bytes = 64 << 10;  // files of /sys say that they have a page, which may be so long
    const auto text = read_file(
        fmt::format("{}/dev/block/{}:{}/{}/rotational", sys, device_major, device_minor, queue), most_bytes);
    const auto rotational = text ? whole_number(*text) : std::nullopt;
    if (rotational) return *rotational ? Medium::rotational : Medium::solid;
  }
  return Medium::unknown;
}

}  // namespace concilio::store
