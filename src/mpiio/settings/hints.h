// Hints in MPI_Info objects.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/settings/config.h"

namespace concilio::mpiio {

using Hints = std::vector<std::pair<std::string, std::string>>;
Hints hints_in(MPI_Info info);
// Whether an info object holds these hints and no others.
bool holds(MPI_Info info, const Hints& hints);

// Whether a file is being opened, or is open already, which is too late for some hints.
enum class Moment { open, later };

// The settings with the hints of all ranks' info objects, the same on every rank. If ranks give different
// values of a hint, or only some ranks give it, the value of the lowest rank that gives it is used. All ranks
// start from rank 0's `config`. Rank 0 says, once, which hints are ignored and why, and which are not the
// same on all ranks. Collective over comm; if all ranks give the same hints or none, it takes one reduction
// of a few bytes. `before` is what this rank has done before the ranks meet here; if it has failed, `config`
// may be null. On all ranks alike, returns null if no rank's would change, and an error if any rank lacks
// memory or has failed before.
Result<std::shared_ptr<Config>> adopt_hints(MPI_Comm comm, MPI_Info info, const Config* config, Moment moment,
                                            Status before = {});

// Makes a new info object that holds every hint in force. The caller frees it.
int make_info(const Config& config, MPI_Info* info);

}  // namespace concilio::mpiio
