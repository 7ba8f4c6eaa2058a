#include "mpi/nodes/descriptor_passing.h"

#include "mpi/nodes/leader_socket.h"

namespace concilio::mpi {

Descriptor pass_to_node(Team& team, int number) {
  return pass_descriptor(
      team.local_rank(), team.local_size(), number,
      [&](LeaderAddress& address) { team.node_allreduce(address); }, [&] { team.node_barrier(); });
}

Descriptor pass_to_node(MPI_Comm node, int number) {
  int rank = 0, ranks = 1;
  PMPI_Comm_rank(node, &rank);
  PMPI_Comm_size(node, &ranks);
  return pass_descriptor(
      rank, ranks, number,
      [&](LeaderAddress& address) { PMPI_Bcast(&address, sizeof address, MPI_BYTE, 0, node); },
      [&] { PMPI_Barrier(node); });
}

}  // namespace concilio::mpi
