// Memory of a node, whose ranks can share memory.
#pragma once

#include <cstdint>
#include <vector>

namespace concilio::bench {

struct NodeGrowth {
  int ranks = 0;
  int64_t bytes = 0;  // of all ranks of the node; memory that they share counts once
};

// Computes each node's growth from each rank's growth and the part of it that is shared. Nodes are in the
// order of their first ranks. Collective over MPI_COMM_WORLD, with the same result on all ranks.
std::vector<NodeGrowth> growth_by_node(int64_t growth_bytes, int64_t shared_bytes);

}  // namespace concilio::bench
