// How the values of one type, which ranks combine when they meet, are combined between nodes.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "mpi/epoch.h"

namespace concilio::mpi {

// The MPI operation and datatype are made when an epoch first needs them.
struct BetweenNodes {
  struct Made {
    MPI_Op operation = MPI_OP_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    BetweenNodes* next = nullptr;  // the next in the list of all that have been made
  };
  MPI_User_function* function;
  OfEpoch<Made> made{};
};

// The operation and datatype for values of so many bytes. Any thread may call this.
BetweenNodes::Made made_between_nodes(BetweenNodes& between, size_t bytes);
// Frees all that have been made, if this is the last part of MPI: files of another part may still use them.
void free_between_nodes();

}  // namespace concilio::mpi
