// Handles of Concilio's files as integers, for Fortran, whose MPI_Fint is an int. They begin far above the
// MPIs' own integers, since MPICH and Open MPI both count theirs from 0.
#pragma once

#include <mpi.h>

namespace concilio::bind {

// The integer of one of our handles, which stays the same as long as the file is open.
int integer_of(MPI_File handle);
// The handle that an integer stands for; nullptr: it is none of ours.
MPI_File handle_of(int integer);
void forget_integer(MPI_File handle);

}  // namespace concilio::bind
