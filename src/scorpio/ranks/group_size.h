// The size of I/O groups that the library chooses. No MPI, no HDF5.
#pragma once

#include <cstdint>

namespace concilio::scorpio {

// Group size where the caller gives none. Every root costs an open and a client of the file system; a root
// moves the bytes of its group one after another. So: a root for each 256 MiB, at most four on a node, and
// groups of at most 1024 ranks for reads and 16 for writes, as the paper found. Unknown bytes (0): a root for
// each node, within these bounds.
int chosen_group_size(bool reads, int ranks, int ranks_per_node, int64_t bytes);

}  // namespace concilio::scorpio
