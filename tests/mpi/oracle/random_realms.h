// Random realms, given to Concilio through its C interface.
#pragma once

#include <mpi.h>

#include <string>

#include "common/random.h"

namespace oracle {

using namespace tests;

// Gives the file random realms that follow from `random`, or none. Collective, with the same random numbers
// on every rank. Returns what was wrong, or an empty text.
std::string give_random_realms(MPI_File file, int ranks, Random random);

}  // namespace oracle
