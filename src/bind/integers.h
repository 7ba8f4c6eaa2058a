// Our handles as integers, for Fortran, whose MPI_Fint is an int. Ours begin where no MPI's own integer is:
// both MPIs count theirs from 0.
#pragma once

#include <mpi.h>

namespace concilio::bind {

// The integer of a handle of ours, the same for as long as the file is open.
int integer_of(MPI_File handle);
// The handle behind an integer; nullptr: not an integer of ours.
MPI_File handle_of(int integer);
void forget_integer(MPI_File handle);

}  // namespace concilio::bind
