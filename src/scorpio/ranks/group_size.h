// The size of I/O groups where the library chooses it. This needs neither MPI nor HDF5.
#pragma once

#include <cstdint>

namespace concilio::scorpio {

// Returns the group size if the caller gives none. Every root costs an open and a client of the file system,
// but a root moves the bytes of its group one after another. So there is a root for each 256 MiB, but at most
// four on a node. Groups have at most 1024 ranks for reads and 16 for writes, as "SCORPIO: A Scalable
// Two-Phase Parallel I/O Library With Application To A Large Scale Subsurface Simulator" found. If the number
// of bytes is not known (0), there is a root for each node, within these bounds.
int chosen_group_size(bool reads, int ranks, int ranks_per_node, int64_t bytes);

}  // namespace concilio::scorpio
