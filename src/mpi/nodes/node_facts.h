// What this node offers: free memory, and cores that this process may use.
#pragma once

#include <cstdint>

namespace concilio::mpi {

// The smaller of MemAvailable and the memory that the process's control groups still allow, in bytes;
// INT64_MAX if neither is known.
int64_t free_memory_bytes();
// The number of cores that this process may run on, and the number that the node has online.
int usable_cores();
int online_cores();

}  // namespace concilio::mpi
