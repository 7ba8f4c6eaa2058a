// How the ranks of a benchmark agree on results.
#pragma once

#include <mpi.h>

#include <string>

namespace concilio::bench {

template <typename T>
T over_ranks(T value, MPI_Datatype type, MPI_Op operation) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, type, operation, MPI_COMM_WORLD);
  return value;
}

// Returns, on all ranks, the failure of the lowest rank that has one. Collective over MPI_COMM_WORLD.
std::string agree(const std::string& failure);

// Returns rank 0's text on all ranks. Collective over MPI_COMM_WORLD.
void share(std::string& text);

// The name and version of the MPI, in one line.
std::string library_version();

}  // namespace concilio::bench
