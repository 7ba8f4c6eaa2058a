// How many ranks open a file in MPI_File_open, and not only when they first need it.
#pragma once

#include <cstdint>

#include "plan/facts/facts.h"

namespace concilio::plan {

// So many of the `ranks` ranks of a node, of which there are `nodes`; at least the first, which finds the
// file for all. The others keep a descriptor that it has passed to them.
int64_t openers(const StorageFacts& storage, int64_t nodes, int64_t ranks);

}  // namespace concilio::plan
