#include "job/nodes.h"

#include <mpi.h>

#include <algorithm>

namespace concilio::bench {

std::vector<NodeGrowth> growth_by_node(int64_t growth_bytes, int64_t shared_bytes) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  NodeGrowth growth;
  MPI_Comm_size(node, &growth.ranks);
  // The peak and the shared part are not read at the same moment.
  const int64_t own_bytes = std::max<int64_t>(growth_bytes - shared_bytes, 0);
  int64_t own_sum = 0, shared_most = 0;
  MPI_Allreduce(&own_bytes, &own_sum, 1, MPI_INT64_T, MPI_SUM, node);
  MPI_Allreduce(&shared_bytes, &shared_most, 1, MPI_INT64_T, MPI_MAX, node);
  int rank_on_node = 0;
  MPI_Comm_rank(node, &rank_on_node);
  MPI_Comm_free(&node);

  const int64_t mine[] = {rank_on_node, growth.ranks, own_sum + shared_most};
  std::vector<int64_t> all(static_cast<size_t>(ranks) * 3);
  MPI_Allgather(mine, 3, MPI_INT64_T, all.data(), 3, MPI_INT64_T, MPI_COMM_WORLD);
  std::vector<NodeGrowth> nodes;
  for (size_t i = 0; i < all.size(); i += 3) {
    if (all[i] == 0) nodes.push_back({static_cast<int>(all[i + 1]), all[i + 2]});
  }
  return nodes;
}

}  // namespace concilio::bench
