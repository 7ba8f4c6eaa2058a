// Whether this MPI has handles as Fortran INTEGERs (MPI_Fint, MPI_File_c2f and so on). The ABI of the MPI 5
// standard does not: there the integer of a handle is an int (MPI_File_toint), and Fortran belongs to another
// library.
#pragma once

#include <mpi.h>

#if defined(OPEN_MPI) || defined(MPICH_VERSION) || defined(SMPI_H)
#define CONCILIO_MPI_HAS_FORTRAN_HANDLES
#endif
