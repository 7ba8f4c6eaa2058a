// Whether nodes bring small shares together on the way to aggregators, and how many nodes do.
#pragma once

#include "plan/facts/prices.h"
#include "plan/layout/clusters.h"

namespace concilio::plan {

// Has the nodes of a laid out call form clusters (plan/layout/clusters.h) as the user wishes or, without a
// wish, where that costs less: the messages that it saves against the second way of the bytes, their copy in
// a relay, and the additional step of each round. Without a wish, a node's share of a round must also fit the
// buffers of a relay twice, as data may lie unevenly.
void choose_clusters(const Facts& facts, Layout& layout, const Prices& prices);

}  // namespace concilio::plan
