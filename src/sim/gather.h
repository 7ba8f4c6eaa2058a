// Computes the facts of a call that nobody makes: what ranks would tell each other in exec/collective.cpp,
// from their access pattern and a machine that is only described.
#pragma once

#include <vector>

#include "plan/facts/facts.h"
#include "sim/pattern.h"

namespace concilio::sim {

struct Machine {
  std::vector<int64_t> ranks_of_node;  // rank 0 is the first of node 0, and so on
  std::vector<int64_t> node_memory;  // available memory: entry i modulo the length is node i's; empty: enough
  int64_t cores_per_node = 1;
  plan::StorageFacts storage;
  std::shared_ptr<const plan::Prices> prices;  // measured ones; null: those that are built in
};

// Takes memory in proportion to the number of nodes, whatever the number of ranks; and so it does time, if
// the ranks ask alike.
plan::Facts gather(const Pattern& pattern, int call, const Machine& machine, Operation operation,
                   const plan::Wishes& wishes);

}  // namespace concilio::sim
