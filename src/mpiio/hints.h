// Hints as they come and go in MPI_Info objects.
#pragma once

#include <mpi.h>

#include <string>
#include <utility>
#include <vector>

#include "base/config.h"

namespace concilio::mpiio {

std::vector<std::pair<std::string, std::string>> hints_in(MPI_Info info);

// Rank 0's hints, set in `config` on every rank; what rank 0 gave and could not be honoured is reported,
// once. A rank whose own hints differ says so. Collective over comm.
void adopt_hints(MPI_Comm comm, MPI_Info info, Config& config);

// A new info object that holds every effective hint; the caller frees it.
int make_info(const Config& config, MPI_Info* info);

}  // namespace concilio::mpiio
