// Collective calls of a few numbers, as every call of the interface makes some. Ranks of a node exchange them
// through shared memory, and who waits sleeps; MPI's own calls keep all cores busy, and take milliseconds
// where ranks share them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"

namespace concilio::scorpio {

// All are collective over `comm`. The first such call on a communicator makes what it takes.

// `values` becomes the largest of each.
Status largest(MPI_Comm comm, int64_t* values, int count);
// The numbers of all ranks, one rank's behind the other's. Every rank gives equally many.
Result<std::vector<int64_t>> gathered(MPI_Comm comm, const std::vector<int64_t>& mine);
// The sum of the numbers of lower ranks.
Result<int64_t> sum_below(MPI_Comm comm, int64_t mine);
// Those of rank 0 for all.
Status told(MPI_Comm comm, int64_t* values, int count);

// Before a communicator is freed. Collective.
void forget_small(MPI_Comm comm);

}  // namespace concilio::scorpio
