// Collective calls of a few numbers, as every call of the interface makes some. Ranks of a node exchange them
// through shared memory, and who waits sleeps; MPI's own calls keep all cores busy, and take milliseconds
// where ranks share them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"

namespace concilio::scorpio {

// All are collective over `comm`. The first such call on a communicator makes what it takes.

// `values` becomes the largest of each.
Status largest(MPI_Comm comm, int64_t* values, int count);

// What tells of ranks that do not come to a call: of some that wait, one a node. `missing` are those of its
// node; if there are none, others are.
struct Complaint {
  int64_t after_ns;  // below 0: never
  std::function<void(const std::vector<int>& missing)> tell;
};
// The same, as what a call of all ranks begins with.
Status first_largest(MPI_Comm comm, int64_t* values, int count, const Complaint& complaint);
// Waits for what ranks begin together.
Status finish(MPI_Request& request, const char* what, const Complaint& complaint);
// The numbers of all ranks, one rank's behind the other's. Every rank gives equally many.
Result<std::vector<int64_t>> gathered(MPI_Comm comm, const std::vector<int64_t>& mine);
// The sum of the numbers of lower ranks.
Result<int64_t> sum_below(MPI_Comm comm, int64_t mine);
// Those of rank 0 for all.
Status told(MPI_Comm comm, int64_t* values, int count);

// Before a communicator is freed. Collective.
void forget_small(MPI_Comm comm);

}  // namespace concilio::scorpio
