// What this node has: memory that is free, cores that this process may use.
#pragma once

#include <cstdint>

namespace concilio {

// The smaller of MemAvailable and what the process's control groups leave it, bytes; INT64_MAX if neither is
// known.
int64_t free_memory_bytes();
// Cores this process may run on, and cores the node has online.
int usable_cores();
int online_cores();

}  // namespace concilio
