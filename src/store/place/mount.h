// Which mount a file lies on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace concilio::store {

struct Mount {
  std::string point;   // "/scratch"
  std::string type;    // of the file system, as the kernel names it: "ext4", "nfs4"
  std::string device;  // what the kernel has as its source: "/dev/sda1", "server:/export"
};

// The mount of a file or folder, which must exist.
Result<Mount> mount_of(const std::string& path);

// The same from the text of /proc/self/mountinfo, for a path that contains no links, on the device with these
// numbers.
std::optional<Mount> mount_in(std::string_view mountinfo, std::string_view path, unsigned device_major,
                              unsigned device_minor);

}  // namespace concilio::store
