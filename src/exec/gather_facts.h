// What planning depends on, as the ranks of a call find it out.
#pragma once

#include <vector>

#include "exec/running_call.h"
#include "plan/facts/facts.h"

namespace concilio {

// What one rank asks.
Digest digest_of(const Request& request);

// The facts of a call that one rank makes alone.
Facts facts_alone(const OpenFile& opened, const Request& request, const Wishes& wishes);

// Of a collective call, what every rank knows of the file and its nodes without asking the others.
Facts facts_of_team(const OpenFile& opened, Operation operation, const Wishes& wishes);

// What a node tells the others of its part in a call.
struct NodeCard {
  int64_t free_bytes = 0, bytes = 0;
  int64_t spans = 0;
  Interval span[most_node_spans];
};

// Adds to the facts how the bytes are spread: of all ranks, and of each node's, where `cards` has room for
// one a node. Collective; if the team fails, it is soon back. What one rank cannot do is the only thing that
// it leaves out: the facts are of use where no rank failed.
Status gather_spread(const OpenFile& opened, const Request& request, Facts& facts,
                     std::vector<NodeCard>& cards);

}  // namespace concilio
