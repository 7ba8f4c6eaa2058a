// What kind of device a local file system lies on, as the kernel tells in /sys.
#pragma once

#include <string>

#include "store/store.h"

namespace concilio::store {

// The numbers may be those of a device or of a partition. `sys` is where sysfs is mounted.
StorageLayout::Medium medium_of_device(unsigned device_major, unsigned device_minor,
                                       const std::string& sys = "/sys");

}  // namespace concilio::store
