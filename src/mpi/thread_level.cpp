#include "mpi/thread_level.h"

#include <mpi.h>

namespace concilio {

bool has_thread_multiple() {
  int level = MPI_THREAD_SINGLE;
  return PMPI_Query_thread(&level) == MPI_SUCCESS && level == MPI_THREAD_MULTIPLE;
}

}  // namespace concilio
