// Waiting that sleeps. On a machine with fewer cores than ranks, ranks that poll would delay those that have
// not come yet.
#pragma once

#include <mpi.h>
#include <unistd.h>

inline void patient_wait(MPI_Request request) {
  int done = 0;
  for (int tries = 0; !done; ++tries) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done && tries > 20) usleep(20);
  }
}

inline void patient_barrier(MPI_Comm comm) {
  MPI_Request request;
  MPI_Ibarrier(comm, &request);
  patient_wait(request);
}
