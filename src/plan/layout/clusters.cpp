#include "plan/layout/clusters.h"

#include <algorithm>
#include <iterator>

#include "base/checked.h"
#include "plan/layout/footprint.h"
#include "plan/layout/windows.h"

namespace concilio::plan {

std::span<const int> cluster_of(const Group& group, int64_t combined, int node) {
  const auto found = std::lower_bound(group.nodes.begin(), group.nodes.end(), node);
  const int64_t begin = align_down(found - group.nodes.begin(), combined);
  const int64_t length = std::min(combined, std::ssize(group.nodes) - begin);
  return std::span(group.nodes).subspan(static_cast<size_t>(begin), static_cast<size_t>(length));
}

int relay_of(const Layout& layout, const Group& group, size_t realm, int node) {
  if (layout.combined_nodes < 2) return direct;
  const std::span<const int> cluster = cluster_of(group, layout.combined_nodes, node);
  const int home = layout.realms[realm].node;
  if (cluster.size() < 2 || (home >= cluster.front() && home <= cluster.back())) return direct;
  return cluster[(realm - static_cast<size_t>(group.first_realm)) % cluster.size()];
}

const char* obstacle_to_clusters(const Facts& facts, const Layout& layout) {
  if (facts.nodes.size() < 3) return "there are too few nodes";
  if (layout.exchange != ExchangeStrategy::descriptions) return "nodes do not know each other's requests";
  if (facts.digest.description_bytes > short_description_bytes) return "the lists of pieces are long";
  if (most_combined(facts, layout) < 2) return "a node has too little memory for what its cluster asks for";
  for (const Group& group : layout.groups) {
    if (group.nodes.size() < 2) continue;
    for (const int node : group.nodes) {
      const int64_t parcel = parcel_bytes_in_cluster(layout.parcel_bytes[static_cast<size_t>(node)]);
      if (parcel < least_parcel_bytes) return "a node has too little memory to relay";
    }
  }
  return "";
}

int64_t most_combined(const Facts& facts, const Layout& layout) {
  return layout.told_bytes / description_uses / descriptions_bytes(facts, most_ranks_of_node(facts));
}

int64_t parcel_bytes_in_cluster(int64_t parcel_bytes) {
  // Four buffers instead of two, each with room to begin at a multiple of the alignment.
  return align_down(parcel_bytes / 2, parcel_alignment) - parcel_alignment;
}

void form_clusters(const Facts& facts, Layout& layout, int64_t nodes) {
  layout.combined_nodes = nodes;
  for (Group& group : layout.groups) {
    if (group.nodes.size() < 2) continue;
    for (const int node : group.nodes) {
      int64_t& parcel = layout.parcel_bytes[static_cast<size_t>(node)];
      parcel = parcel_bytes_in_cluster(parcel);
    }
  }
  add_up_memory(facts, layout);
}

}  // namespace concilio::plan
