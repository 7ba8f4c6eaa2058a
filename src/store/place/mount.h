// What is mounted where a file lies.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace concilio {

struct Mount {
  std::string point;   // "/scratch"
  std::string type;    // of the file system, as the kernel calls it: "ext4", "nfs4"
  std::string device;  // "/dev/sda1", "server:/export"; what the kernel has for it
};

// Of a file or folder that is there.
Result<Mount> mount_of(const std::string& path);

// The same in the text of /proc/self/mountinfo, for a path without links in it, of a device.
std::optional<Mount> mount_in(std::string_view mountinfo, std::string_view path, unsigned device_major,
                              unsigned device_minor);

}  // namespace concilio
