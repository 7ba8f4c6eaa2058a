// This machine and its processes, and whether these are still running.
#pragma once

#include <cstdint>
#include <string>

namespace concilio {

// Identifies a process, and tells it from later ones that get the same number. It is plain data, so that
// other processes can read it in shared memory.
struct ProcessId {
  int64_t pid = 0;
  int64_t start_ticks = 0;      // 0: not known
  uint64_t pid_namespace = 0;   // the one in which pid is this process's; 0: not known
  uint64_t time_namespace = 0;  // the one whose clock start_ticks counts by; 0: not known
};
ProcessId this_process();

// True only where that is certain. A process of another container counts as running, since its number means
// nothing here. A process that has ended counts as ended even while its parent has not yet waited for it.
bool has_ended(const ProcessId& process);

// The namespace that this process's number is of; 0 where the system does not tell.
uint64_t pid_namespace();

// The name of this machine, as gethostname() gives it.
std::string host_name();

}  // namespace concilio
