// The facts that planning depends on, and how the ranks of a call gather them.
#pragma once

#include <vector>

#include "exec/call/running_call.h"
#include "plan/facts/facts.h"

namespace concilio::exec {

// What one rank asks for.
plan::Digest digest_of(const Request& request);

// The facts of a call that one rank makes alone. `may_rewrite`: others are expected to let it sieve a write.
plan::Facts facts_alone(const OpenFile& opened, const Request& request, bool may_rewrite,
                        const plan::Wishes& wishes);

// The facts of a collective call that every rank knows about the file and its nodes without asking the
// others.
plan::Facts facts_of_team(const OpenFile& opened, Operation operation, const plan::Wishes& wishes);

// What a node tells the other nodes about its part in a call.
struct NodeCard {
  int64_t free_bytes = 0, bytes = 0;
  int64_t spans = 0;
  pattern::Interval span[plan::most_node_spans];
};

// Adds to the facts how the bytes of all ranks are spread over the file, and those of each node if `cards`
// has one entry a node. held_bytes: what this library holds of the node's memory. Collective; it returns soon
// if the team fails. An error of this rank leaves out only what it could not do itself: the facts are of use
// only if no rank failed.
Status gather_spread(const OpenFile& opened, const Request& request, plan::Facts& facts, int64_t held_bytes,
                     std::vector<NodeCard>& cards);

}  // namespace concilio::exec
