// Realms by partition tree (memory-conscious collective I/O, sections 3.2 and 3.3): the group's region is
// divided by recursive bisection into portions of about Wishes::domain_bytes; each is placed on the host with
// most available memory among those whose data lie in it; a portion that no such host can serve is taken over
// by its neighbour in the tree.
//
// Portions are equal in the bytes of the region's spans, which leaves known holes out. There are no more of
// them than aggregators at hand: a finer tree would only be remerged at its far end, and unevenly.
#include "plan/realms/tree.h"

#include <algorithm>

#include "base/checked.h"
#include "plan/spans.h"

namespace concilio {

namespace {

PartitionTree bisect(const Region& region, int64_t alignment) {
  const std::vector<Interval>& spans = region.group.spans;
  const int64_t bytes = total_bytes(spans);
  size_t span = 0;
  int64_t before = 0;  // bytes of the spans before `span`
  return PartitionTree(aligned_borders(region.range(), region.wanted, alignment, [&](int64_t i) {
    const auto wished = static_cast<int64_t>(static_cast<__int128>(bytes) * i / region.wanted);
    while (span + 1 < spans.size() && before + spans[span].length() <= wished)
      before += spans[span++].length();
    return spans[span].begin + (wished - before);
  }));
}

}  // namespace

Remerged partition(const Region& region, Hosts& hosts) {
  const int64_t alignment = unit_for(region.facts, total_bytes(region.group.spans) / region.wanted);
  PartitionTree tree = bisect(region, alignment);
  Remerged out{tree, tree, 0, alignment};
  PartitionTree& after = out.after;
  const auto give = [&](int leaf, const Aggregator& aggregator) {
    after.vertex(leaf).aggregator = aggregator.rank;
    after.vertex(leaf).node = aggregator.node;
  };
  // From left to right, so that whoever takes over to the left has an aggregator, and whoever takes over to
  // the right will have its turn with what it took over.
  for (const int leaf : tree.leaves()) {
    const std::vector<Interval> bytes =
        intersection(std::span(&after.vertex(leaf).file, 1), region.group.spans);
    if (const auto found = hosts.with_most_memory(bytes)) {
      give(leaf, *found);
    } else if (leaf != after.root()) {
      after.take_over(leaf);
      ++out.taken_over;
    } else if (const auto anybody = hosts.best_of_all(bytes)) {
      give(leaf, *anybody);
    }
  }
  return out;
}

Division divide_tree(const Region& region, Hosts& hosts) {
  Division division;
  if (!placement_row(region.facts.wishes.placement).by_memory) {
    division.alignment = unit_for(region.facts, total_bytes(region.group.spans) / region.wanted);
    const PartitionTree tree = bisect(region, division.alignment);
    for (const int leaf : tree.leaves())
      division.portions.push_back({Access::contiguous(0), tree.vertex(leaf).file});
    return division;
  }
  const Remerged merged = partition(region, hosts);
  division.alignment = merged.alignment;
  for (const int leaf : merged.after.leaves()) {
    const PartitionTree::Vertex& vertex = merged.after.vertex(leaf);
    division.portions.push_back({Access::contiguous(0), vertex.file});
    if (vertex.node != PartitionTree::none)
      division.portions.back().aggregator = Aggregator{vertex.aggregator, vertex.node};
  }
  return division;
}

}  // namespace concilio
