// MPI_Register_datarep from Fortran, whose conversion procedures take other arguments than C's functions.
#pragma once

#include "mpi/types/representation.h"

namespace concilio::bind {

// If this thread is inside the Fortran routine, `wanted` gets functions that call the procedures which that
// was given. MPICH's routine gives the C one those procedures as they are; Open MPI's gives it C functions of
// its own, which do not know the mpi_f08 module's MPI_CONVERSION_FN_NULL and keep the address of extra_state.
void adapt_to_fortran(UserRepresentation& wanted);

}  // namespace concilio::bind
