// What one rank could not do is the error of all.
#pragma once

#include "mpi/nodes/team.h"

namespace concilio {

// The error of the lowest rank that has one, on every rank, or none. Collective over the team; fails as it
// does.
Status agree(Team& team, const Status& mine);

}  // namespace concilio
