// What ranks tell each other about their run.
#pragma once

#include <mpi.h>

#include <string>

namespace concilio::bench {

template <typename T>
T over_ranks(T value, MPI_Datatype type, MPI_Op operation) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, type, operation, MPI_COMM_WORLD);
  return value;
}

// The failure of the first rank that has one, on all ranks. Collective over MPI_COMM_WORLD.
std::string agree(const std::string& failure);

// Rank 0's text on all ranks. Collective over MPI_COMM_WORLD.
void share(std::string& text);

// The MPI's name and version, in one line.
std::string library_version();

}  // namespace concilio::bench
