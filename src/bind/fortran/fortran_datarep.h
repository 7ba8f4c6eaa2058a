// MPI_Register_datarep from Fortran, where conversion procedures take other arguments than C's functions do.
#pragma once

#include "mpi/types/representation.h"

namespace concilio::bind {

// If this thread is inside the Fortran routine, `wanted` gets functions that call the procedures that the
// routine was given. MPICH's routine passes those procedures to the C function as they are. Open MPI's passes
// C functions of its own, which do not know the mpi_f08 module's MPI_CONVERSION_FN_NULL, and keep the address
// of extra_state.
void adapt_to_fortran(mpi::UserRepresentation& wanted);

}  // namespace concilio::bind
