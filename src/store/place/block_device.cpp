#include "store/place/block_device.h"

#include <fmt/format.h>

#include <fstream>

namespace concilio {

StorageLayout::Medium medium_of_device(unsigned device_major, unsigned device_minor, const std::string& sys) {
  using Medium = StorageLayout::Medium;
  // A partition has its queue where its device is: the folder above the one that the link leads to.
  for (const char* queue : {"queue", "../queue"}) {
    std::ifstream in(fmt::format("{}/dev/block/{}:{}/{}/rotational", sys, device_major, device_minor, queue));
    int rotational = 0;
    if (in >> rotational) return rotational ? Medium::rotational : Medium::solid;
  }
  return Medium::unknown;
}

}  // namespace concilio
