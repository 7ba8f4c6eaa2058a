// Error handlers of files that programs make by the C++ bindings that MPI had until version 3.0. Debian's
// Open MPI 4 and MPICH 4 still have them.
#pragma once

#include <mpi.h>

namespace concilio::bind {

// Records a handler that a program is about to set and that is neither predefined nor recorded, if it is one
// of Open MPI's C++ bindings, which make theirs without MPI_File_create_errhandler.
void adopt_cxx_errhandler(MPI_Errhandler handler);

}  // namespace concilio::bind
