// Processes of this machine, and whether they still run.
#pragma once

#include <cstdint>

namespace concilio {

// A process, told from later ones of the same number. Plain data, for others to look at.
struct ProcessId {
  int64_t pid = 0;
  int64_t start_ticks = 0;      // 0: not known
  uint64_t pid_namespace = 0;   // where the number means this process; 0: not known
  uint64_t time_namespace = 0;  // where the start is counted so
};
ProcessId this_process();

// True only where it is certain: a process of another container, whose number means nothing here, counts as
// running. One that has ended and that its parent has not asked for yet has ended.
bool has_ended(const ProcessId& process);

}  // namespace concilio
