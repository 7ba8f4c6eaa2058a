// What a local file system's device is, as the kernel has it in /sys.
#pragma once

#include <string>

#include "store/store.h"

namespace concilio {

// Of a device's numbers, which may be a partition's. `sys`: where that file system is mounted.
StorageLayout::Medium medium_of_device(unsigned device_major, unsigned device_minor,
                                       const std::string& sys = "/sys");

}  // namespace concilio
