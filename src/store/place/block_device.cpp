#include "store/place/block_device.h"

#include <fmt/format.h>

#include <fstream>

namespace concilio::store {

StorageLayout::Medium medium_of_device(unsigned device_major, unsigned device_minor, const std::string& sys) {
  using Medium = StorageLayout::Medium;
  // A partition's queue is that of its device, whose folder is above the one that the link leads to.
  for (const char* queue : {"queue", "../queue"}) {
    std::ifstream in(fmt::format("{}/dev/block/{}:{}/{}/rotational", sys, device_major, device_minor, queue));
    int rotational = 0;
    if (in >> rotational) return rotational ? Medium::rotational : Medium::solid;
  }
  return Medium::unknown;
}

}  // namespace concilio::store
