// A barrier that sleeps: on a machine with fewer cores than ranks, a barrier that polls keeps the others from
// coming.
#pragma once

#include <mpi.h>
#include <unistd.h>

inline void patient_barrier(MPI_Comm comm) {
  MPI_Request request;
  MPI_Ibarrier(comm, &request);
  int done = 0;
  for (int tries = 0; !done; ++tries) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done && tries > 20) usleep(20);
  }
}
