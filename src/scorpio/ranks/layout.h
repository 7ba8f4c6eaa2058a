// A division of a communicator into I/O groups. A group has consecutive ranks, and its first rank is its
// root.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "scorpio/ranks/buffer.h"
#include "scorpio/ranks/notices.h"

namespace concilio::scorpio {

struct Layout {
  MPI_Comm global = MPI_COMM_NULL;
  MPI_Comm local = MPI_COMM_NULL;  // the ranks of this group; rank 0 is the root
  MPI_Comm io = MPI_COMM_NULL;     // the roots, in the order of groups; null on other ranks
  int rank = 0, ranks = 1;         // in global
  int local_rank = 0, local_ranks = 1;
  int group = 0, groups = 1;
  int group_size = 1;        // of every group but perhaps the last
  std::vector<int> roots;    // by group: the root's rank in global
  std::vector<int> members;  // of this group: their ranks in global
  Notices notices;           // of this group's root; count the calls of all ranks since the layout was made
  Buffer buffer;             // the root's, for transfers

  bool is_root() const { return local_rank == 0; }
};
using LayoutRef = std::shared_ptr<Layout>;

// Divides `comm` into groups of `group_size` ranks; the last group has the ranks that are left. Collective
// over `comm`. A layout is made once for each size and each communicator, or another with the same ranks in
// the same order. It is kept until MPI_Finalize, since making communicators is what does not scale.
Result<LayoutRef> layout_of(MPI_Comm comm, int group_size, bool share_memory);
// The duplicate of `comm` that its layouts use, and how many I/O groups have asked for it. Collective.
struct OwnCommunicator {
  MPI_Comm comm;
  int groups;
};
Result<OwnCommunicator> own_communicator(MPI_Comm comm);

// Returns the layouts that there are of a communicator that own_communicator has returned. All ranks have the
// same, in the same order. Local.
std::vector<LayoutRef> layouts_of(MPI_Comm own);

// Frees the buffers of all layouts of the communicator except `but`, which may be nullptr. Collective over
// all its ranks.
void release_buffers(MPI_Comm own, const Layout* but);

// Returns the largest number of ranks on a node. Collective. It is found once for each communicator.
Result<int> ranks_per_node(MPI_Comm comm);

}  // namespace concilio::scorpio
