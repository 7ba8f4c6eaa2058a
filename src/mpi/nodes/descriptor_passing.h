// One rank of a node opens a file or memory, and passes its descriptor to the node's other ranks
// (SCM_RIGHTS).
#pragma once

#include "base/system/descriptor.h"
#include "mpi/nodes/team.h"

namespace concilio::mpi {

// Gives every other rank of the node a duplicate of the leader's descriptor `number`; -1 means that there is
// nothing to pass. Returns no descriptor on the leader, nor on a rank that cannot receive one, because it has
// reached its limit of descriptors or is in another network namespace. Collective over the node; a rank waits
// for the others to arrive and for nothing else.
Descriptor pass_to_node(Team& team, int number);
// The same for the ranks of a communicator of one node, for use before there is a team.
Descriptor pass_to_node(MPI_Comm node, int number);

}  // namespace concilio::mpi
