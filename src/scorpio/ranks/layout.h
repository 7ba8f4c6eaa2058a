// A division of a communicator into I/O groups: runs of consecutive ranks, the first of each its root.
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
  int group_size = 1;        // of all but perhaps the last
  std::vector<int> roots;    // by group: their ranks in global
  std::vector<int> members;  // of this group: their ranks in global
  Notices notices;           // of this group's root
  Buffer buffer;             // the root's, for transfers

  bool is_root() const { return local_rank == 0; }
};
using LayoutRef = std::shared_ptr<Layout>;

// Groups of `group_size` ranks, the last with what is left. Collective over `comm`. Made once for a
// communicator (or one with the same ranks in the same order) and size, and kept until MPI_Finalize, since
// making communicators is what does not scale.
Result<LayoutRef> layout_of(MPI_Comm comm, int group_size, bool share_memory);
// The duplicate of `comm` that its layouts have, and how many I/O groups have asked for it. Collective.
struct OwnCommunicator {
  MPI_Comm comm;
  int groups;
};
Result<OwnCommunicator> own_communicator(MPI_Comm comm);

// Gives back the buffers of the communicator's layouts, but for one (or nullptr). Collective over all its
// ranks.
void release_buffers(MPI_Comm comm, const Layout* but);

// How many ranks share a node at most. Collective; found once for a communicator.
Result<int> ranks_per_node(MPI_Comm comm);

}  // namespace concilio::scorpio
