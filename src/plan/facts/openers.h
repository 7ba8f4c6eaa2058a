// Which ranks open a file in MPI_File_open, and which not before they first need it.
#pragma once

#include <cstdint>

#include "plan/facts/facts.h"

namespace concilio::plan {

// So many ranks of a node that has `ranks` of them open it in MPI_File_open, on each of `nodes` nodes; at
// least the first, which finds the file for all. Others keep a descriptor that this rank has passed to them.
int64_t openers(const StorageFacts& storage, int64_t nodes, int64_t ranks);

}  // namespace concilio::plan
