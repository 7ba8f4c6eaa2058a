// What the control groups that this process runs in leave it of memory: a batch system's job, a container, a
// service.
#pragma once

#include <cstdint>
#include <string>

namespace concilio {

// The least that one of them leaves, from the process's own up to the outermost that can be seen, in bytes;
// INT64_MAX where none has a limit. Pages that cache files are left, as the kernel drops them for others.
// `own`: which groups they are, as /proc/self/cgroup says it (versions 1 and 2, or both); `root`: where their
// file systems are mounted.
int64_t left_in_control_groups(const std::string& own = "/proc/self/cgroup",
                               const std::string& root = "/sys/fs/cgroup");

}  // namespace concilio
