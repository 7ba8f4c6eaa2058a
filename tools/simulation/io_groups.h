// A program's own two phases, as SCORPIO has them and bench/simulated/groups.h makes them: the ranks are cut
// into groups of neighbours, the first rank of each, its root, opens the file and moves the data of its
// group, and the others hand theirs to it, or get theirs from it. Here nothing is run: who calls, and how
// long the messages take.
#pragma once

#include <cstdint>
#include <vector>

#include "simulation/machine.h"
#include "simulation/platform.h"

namespace concilio::tools {

struct IoGroups {
  int64_t roots = 1;
  std::vector<int64_t> roots_of_node;  // of the nodes that have roots, in order
  // In which a group's data come to the slowest root, or leave it.
  double message_seconds = 0;
};

// Groups of `size` ranks each; the number of ranks is a multiple of it.
IoGroups io_groups(const RanksOnNodes& placed, int64_t size, int64_t bytes_per_rank,
                   const DescribedMachine& machine);

}  // namespace concilio::tools
