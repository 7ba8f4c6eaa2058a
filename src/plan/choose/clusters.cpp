#include "plan/choose/clusters.h"

#include <algorithm>
#include <iterator>

#include "base/checked.h"
#include "plan/choose/two_phase_cost.h"

namespace concilio::plan {
namespace {

// A cluster must be cheaper than single nodes by this share, since prices are not more exact.
constexpr double least_saving_of_clusters = 0.05;

// Whether each node's share of a round fits a relay's buffers with room to spare.
bool shares_are_small(const Facts& facts, const Layout& layout) {
  for (const Group& group : layout.groups) {
    const int64_t nodes = std::ssize(group.nodes);
    if (nodes < 2 || group.rounds < 1) continue;
    const int64_t bytes = group.data_bytes > 0 ? group.data_bytes : facts.digest.bytes;
    int64_t most = ceil_divide(bytes, nodes);
    for (const int node : group.nodes) most = std::max(most, facts.nodes[static_cast<size_t>(node)].bytes);
    const int64_t share = ceil_divide(most, group.rounds);
    for (const int node : group.nodes) {
      if (share > parcel_bytes_in_cluster(layout.parcel_bytes[static_cast<size_t>(node)]) / 2) return false;
    }
  }
  return true;
}

int64_t largest_group(const Layout& layout) {
  int64_t nodes = 0;
  for (const Group& group : layout.groups) nodes = std::max(nodes, std::ssize(group.nodes));
  return nodes;
}

// The number of nodes in a cluster that costs least.
int64_t cheapest_clusters(const Facts& facts, const Layout& layout, const Prices& prices) {
  Layout tried = layout;
  const auto seconds = [&](int64_t nodes) {
    tried.combined_nodes = nodes;
    return summed_cost_of_two_phase(facts, tried, prices).seconds();
  };
  double least = seconds(1) * (1 - least_saving_of_clusters);
  int64_t cheapest = 1;
  const int64_t most = std::min(largest_group(layout) / 2, most_combined(facts, layout));
  for (int64_t nodes = 2; nodes <= most; nodes *= 2) {
    const double its = seconds(nodes);
    if (its >= least) continue;
    least = its;
    cheapest = nodes;
  }
  return cheapest;
}

}  // namespace

void choose_clusters(const Facts& facts, Layout& layout, const Prices& prices) {
  const int64_t wished = facts.wishes.combine_nodes;
  if (wished == 1 || *obstacle_to_clusters(facts, layout)) return;
  int64_t nodes = std::min(wished, most_combined(facts, layout));
  if (nodes == 0) nodes = shares_are_small(facts, layout) ? cheapest_clusters(facts, layout, prices) : 1;
  // A single cluster has nothing to bring together.
  if (nodes >= largest_group(layout)) nodes = 1;
  if (nodes > 1) form_clusters(facts, layout, nodes);
}

}  // namespace concilio::plan
