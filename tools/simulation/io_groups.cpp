#include "simulation/io_groups.h"

#include <algorithm>

#include "base/checked.h"

namespace concilio::tools {

namespace {

// What the last root of a node gets passes its node's link, so far as it comes from other nodes; the rest the
// root copies, and all roots of the node together no faster than its memory allows.
double seconds_of_messages(int64_t from_other_nodes, int64_t from_own, int64_t to_all_roots,
                           const DescribedMachine& machine) {
  const double copies = std::max(static_cast<double>(from_own) / machine.core_copy_rate,
                                 static_cast<double>(to_all_roots) / machine.copy_rate);
  if (from_other_nodes == 0) return copies;
  return copies + static_cast<double>(from_other_nodes) / machine.network_rate + machine.network_latency_s;
}

}  // namespace

IoGroups io_groups(const RanksOnNodes& placed, int64_t size, int64_t bytes_per_rank,
                   const DescribedMachine& machine) {
  IoGroups groups;
  groups.roots = placed.ranks / size;
  for (int64_t node = 0; node < placed.nodes; ++node) {
    const int64_t first = placed.first_rank_of(node), end = placed.first_rank_of(node + 1);
    const int64_t roots = ceil_divide(end, size) - ceil_divide(first, size);
    if (roots == 0) continue;
    groups.roots_of_node.push_back(roots);
    const int64_t last_root = align_down(end - 1, size);
    const int64_t beside = std::min(end - last_root, size) - 1;  // ranks of its group on its node
    const int64_t elsewhere = size - 1 - beside;
    groups.message_seconds =
        std::max(groups.message_seconds,
                 seconds_of_messages(elsewhere * bytes_per_rank,
                                     std::max(beside, roots > 1 ? size - 1 : 0) * bytes_per_rank,
                                     ((roots - 1) * (size - 1) + beside) * bytes_per_rank, machine));
  }
  return groups;
}

}  // namespace concilio::tools
