// Hints as they come and go in MPI_Info objects.
#pragma once

#include <mpi.h>

#include <string>
#include <utility>
#include <vector>

#include "base/settings/config.h"

namespace concilio::mpiio {

std::vector<std::pair<std::string, std::string>> hints_in(MPI_Info info);

// Whether a file is being opened, or is open already and some hints come too late.
enum class Moment { open, later };

// Sets the hints of all ranks' info objects in `config`, the same on every rank: each hint as the lowest rank
// that gives it does. Rank 0's `config` is the one they are set in. Rank 0 says, once, which hints are
// ignored and why, and which are not the same on all ranks. Collective over comm; where all ranks give the
// same, or nothing, one reduction of a few bytes. Whether any rank's `config` has changed, on all alike.
bool adopt_hints(MPI_Comm comm, MPI_Info info, Config& config, Moment moment);

// A new info object that holds every effective hint; the caller frees it.
int make_info(const Config& config, MPI_Info* info);

}  // namespace concilio::mpiio
