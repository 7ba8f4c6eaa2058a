#pragma once

#include <mpi.h>

namespace concilio::mpi {

// No message has this tag, in any communicator of the library. The MPI standard lets every tag up to it be
// used.
inline constexpr int never_sent_tag = 32766;

// Lets MPI make progress, since this rank may have to pass on messages that other ranks wait for. MPI_Iprobe
// makes progress only if it finds nothing: with MPI_ANY_TAG, Open MPI and MPICH return at once as soon as any
// message waits to be received, and a message that this rank sends in parts never goes on.
inline void make_progress(MPI_Comm comm) {
  int found = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, never_sent_tag, comm, &found, MPI_STATUS_IGNORE);
}

}  // namespace concilio::mpi
