// Memory by node: ranks that can share it.
#pragma once

#include <cstdint>
#include <vector>

namespace concilio::bench {

struct NodeGrowth {
  int ranks = 0;
  int64_t bytes = 0;  // of all its ranks; what they share counts once
};

// From each rank's growth, and the part of it that is shared. In the order of the nodes' first ranks.
// Collective over MPI_COMM_WORLD; the same on all ranks.
std::vector<NodeGrowth> growth_by_node(int64_t growth_bytes, int64_t shared_bytes);

}  // namespace concilio::bench
