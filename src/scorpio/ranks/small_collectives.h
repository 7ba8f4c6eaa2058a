// Collective calls on a few numbers, which every function of the interface needs. The ranks of a node
// exchange them through shared memory, and a rank that waits sleeps. MPI's own calls keep all cores busy, and
// take milliseconds where ranks share cores.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "mpi/nodes/shared_segment.h"

namespace concilio::scorpio {

// All of these are collective over `comm`. The first of them on a communicator sets up what they need.

// Each of `values` becomes the largest of all ranks' values in its place.
Status largest(MPI_Comm comm, int64_t* values, int count);

// Reports ranks that do not come to a call. Of the ranks that wait, one on each node calls `tell`, or all if
// the node's ranks share no memory. `missing` are the ranks of its node that have not come; if there are
// none, ranks of other nodes have not, or it is not known which.
struct Complaint {
  int64_t after_ns;  // below 0: never
  std::function<void(const std::vector<int>& missing)> tell;
};
// The same, as the first step of a call that all ranks make, to which some may come late. `late`, if there is
// one, is called once by every rank that still waits after late_ns.
Status first_largest(MPI_Comm comm, int64_t* values, int count, const Complaint& complaint,
                     const std::function<void()>& late = {});
constexpr int64_t late_ns = 100'000'000;
// Waits for a nonblocking collective operation. `what` is its function's name, for errors.
Status finish(MPI_Request& request, const char* what, const Complaint& complaint,
              const std::function<void()>& late = {});
// Returns the numbers of all ranks, in the order of ranks. Every rank gives equally many.
Result<std::vector<int64_t>> gathered(MPI_Comm comm, const std::vector<int64_t>& mine);
// Returns the sum of the numbers of lower ranks.
Result<int64_t> sum_below(MPI_Comm comm, int64_t mine);
// Gives rank 0's values to all ranks.
Status told(MPI_Comm comm, int64_t* values, int count);

// Makes memory of `bytes` bytes that all ranks of `comm`, which are on one node, share. It succeeds on all
// ranks or on none.
Result<mpi::SharedSegment> shared_memory(MPI_Comm comm, int64_t bytes);

// To be called before a communicator is freed. Collective.
void forget_small(MPI_Comm comm);

}  // namespace concilio::scorpio
