#include "simulation/opens.h"

#include <algorithm>

#include "plan/facts/logarithm.h"
#include "plan/facts/openers.h"

namespace concilio::tools {

// The steps are those of mpiio/file/opening.cpp: rank 0 opens the file, and the first rank of every other
// node after it; then the other ranks of a node that do not wait until they need the file. One server, if the
// machine has one, does the opens of a step one after another.
double open_seconds(const DescribedMachine& machine, std::span<const int64_t> ranks_of_node,
                    Operation operation) {
  const store::ThrottleCosts& costs = machine.storage_costs;
  const auto opens = [&](int64_t count) {
    const double in_turn = costs.opens_per_second > 0
                               ? static_cast<double>(count) / static_cast<double>(costs.opens_per_second)
                               : 0;
    return count > 0 ? static_cast<double>(costs.open_ns) * 1e-9 + in_turn : 0;
  };
  const bool writes = operation == Operation::write;
  const auto nodes = static_cast<int64_t>(ranks_of_node.size());
  const double layout = static_cast<double>(costs.request_ns) * 1e-9;  // which is asked of the file
  const double lock = static_cast<double>(costs.lock_ns) * 1e-9;
  // Who writes keeps a lock, which the other nodes find; who reads tries one.
  double seconds = opens(1) + layout + (writes ? lock : 2 * lock);
  const double of_other_nodes = nodes > 1 ? layout + (writes ? lock : 0) : 0;
  int64_t more = 0;  // ranks that open after the first of their node
  for (const int64_t ranks : ranks_of_node)
    more += std::min(ranks, plan::openers(*machine.modelled_storage, nodes, ranks)) - 1;
  seconds += opens(nodes - 1) + std::max(opens(more), of_other_nodes);
  // As seen in simulations of 2 to 171 nodes: so many times the nodes meet, or nearly.
  constexpr double meetings = 8;
  return seconds +
         meetings * 2 * machine.network_latency_s * plan::binary_logarithm(static_cast<double>(nodes));
}

}  // namespace concilio::tools
