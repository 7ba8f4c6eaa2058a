// A described machine as SimGrid reads it: its platform, where its ranks run, and the settings of the
// simulator.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "simulation/machine.h"
#include "system/process.h"

namespace concilio::tools {

// A number below 0: not given.
struct RanksWanted {
  int64_t ranks = -1, nodes = -1, ranks_per_node = -1;
};
struct RanksOnNodes {
  int64_t ranks = 1, nodes = 1;
  // Ranks are divided evenly among the nodes, in order.
  int64_t node_of(int64_t rank) const;
  int64_t first_rank_of(int64_t node) const {
    return ranks * node / nodes;
  }  // of the one behind the last: ranks
};
// SMPI gives every rank a copy of the program and a stack. More ranks than this would take hours to run.
inline constexpr int64_t most_simulated_ranks = 20'000;
// By default a node has as many ranks as cores. The error says what the machine does not have.
Result<RanksOnNodes> place_ranks(const RanksWanted& wanted, const DescribedMachine& machine);

// The platform's XML, with these nodes alone and, behind a link of its own, the host `storage`. A node's
// speed is the rate of copies in its memory; how fast a core copies, and how many cores it has, are
// properties. (src/mpi/simulated_waiting.cpp takes time accordingly.)
std::string platform_of(const DescribedMachine& machine, int64_t nodes);
// A line for each rank.
std::string host_file_of(const RanksOnNodes& placed);

// smpirun's words up to the program. Its files lie in `folder`.
Words simulator_words(const std::string& launcher, const RanksOnNodes& placed, const std::string& folder);

}  // namespace concilio::tools
