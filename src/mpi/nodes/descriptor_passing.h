// What one rank of a node has open is given to the node's other ranks, as descriptors of their own
// (SCM_RIGHTS).
#pragma once

#include "base/descriptor.h"
#include "mpi/nodes/team.h"

namespace concilio {

// Gives every other rank of the node a duplicate of the leader's descriptor `number` (-1: there is none).
// None for the leader, and for ranks that it could not be given to: without descriptors left, or in another
// network namespace. Collective over the node; no rank waits for more than that all have come.
Descriptor pass_to_node(Team& team, int number);
// The same between the ranks of a communicator of one node, where there is no team yet.
Descriptor pass_to_node(MPI_Comm node, int number);

}  // namespace concilio
