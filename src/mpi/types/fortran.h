// Whether this MPI has handles as Fortran's INTEGERs (MPI_Fint, MPI_File_c2f and the rest). The MPI 5
// standard's ABI does without: there a handle's integer is an int (MPI_File_toint), and Fortran is another
// library's.
#pragma once

#include <mpi.h>

#if defined(OPEN_MPI) || defined(MPICH_VERSION)
#define CONCILIO_MPI_HAS_FORTRAN_HANDLES
#endif
