// How much memory the control groups of this process still allow it. A batch system's job, a container or a
// service runs in such groups.
#pragma once

#include <cstdint>
#include <string>

namespace concilio::mpi {

// The smallest number of bytes that any of the groups still allows, from the process's own group up to the
// outermost one that can be seen; INT64_MAX if none has a limit. Pages that cache files count as available,
// because the kernel drops them when memory is needed. `own` is a file that lists the process's groups in the
// form of /proc/self/cgroup (version 1, 2 or both); `root` is where their file systems are mounted.
int64_t left_in_control_groups(const std::string& own = "/proc/self/cgroup",
                               const std::string& root = "/sys/fs/cgroup");

}  // namespace concilio::mpi
