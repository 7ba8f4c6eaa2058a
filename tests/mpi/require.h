// For programs that check one thing from begin to end: what must be so, or the job ends.
#pragma once

#include <mpi.h>

#include <cstdio>

inline void require(bool condition, const char* what) {
  if (condition) return;
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::printf("rank %d: not so: %s\n", rank, what);
  std::fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
