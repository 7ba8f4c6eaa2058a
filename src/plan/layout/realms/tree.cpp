// Realms by partition tree (memory-conscious collective I/O, sections 3.2 and 3.3). Recursive bisection
// divides the group's region into portions of about Wishes::domain_bytes. Each is placed on the host with
// most available memory among those whose data lie in it. A portion that no such host can serve is taken over
// by its neighbour in the tree.
//
// Portions have equally many bytes of the region's spans, which leave out known holes. There are no more
// portions than possible aggregators: a finer tree would only be remerged at its far end, and unevenly.
#include "plan/layout/realms/tree.h"

#include <algorithm>

#include "base/checked.h"
#include "plan/facts/spans.h"

namespace concilio {

namespace {

// How many trees are tried besides the first.
constexpr int64_t most_more_portions = 8;
// With more portions than this, a few more make no difference, and each trial takes as long.
constexpr int64_t most_tried_portions = 256;

PartitionTree bisect(const Region& region, int64_t portions, int64_t alignment) {
  const std::vector<Interval>& spans = region.group.spans;
  const int64_t bytes = total_bytes(spans);
  size_t span = 0;
  int64_t before = 0;  // bytes of the spans before `span`
  return PartitionTree(aligned_borders(region.range(), portions, alignment, [&](int64_t i) {
    const auto wished = static_cast<int64_t>(static_cast<__int128>(bytes) * i / portions);
    while (span + 1 < spans.size() && before + spans[span].length() <= wished)
      before += spans[span++].length();
    return spans[span].begin + (wished - before);
  }));
}

int64_t alignment_for(const Region& region, int64_t portions) {
  return unit_for(region.facts, total_bytes(region.group.spans) / portions);
}

std::vector<Interval> bytes_of(const Region& region, const PartitionTree& tree, int leaf) {
  return intersection(std::span(&tree.vertex(leaf).file, 1), region.group.spans);
}

Remerged remerge(const Region& region, Hosts& hosts, int64_t portions) {
  const int64_t alignment = alignment_for(region, portions);
  const PartitionTree tree = bisect(region, portions, alignment);
  Remerged out{tree, tree, 0, alignment};
  PartitionTree& after = out.after;
  const auto give = [&](int leaf, const Aggregator& aggregator) {
    after.vertex(leaf).aggregator = aggregator.rank;
    after.vertex(leaf).node = aggregator.node;
  };
  // From left to right: a leaf to the left that takes over a portion already has an aggregator, and a leaf to
  // the right will get one with what it took over.
  for (const int leaf : tree.leaves()) {
    const std::vector<Interval> bytes = bytes_of(region, after, leaf);
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

int64_t largest_portion(const Region& region, const PartitionTree& tree) {
  int64_t largest = 0;
  for (const int leaf : tree.leaves()) largest = std::max(largest, total_bytes(bytes_of(region, tree, leaf)));
  return largest;
}

}  // namespace

Remerged partition(const Region& region, const Hosts& hosts) {
  Hosts first = hosts;
  Remerged best = remerge(region, first, region.wanted);
  if (best.taken_over == 0 || region.wanted > most_tried_portions) return best;
  // Whole portions were taken over by neighbours. With a few more portions to begin with, each takeover may
  // be smaller, and hosts that had none may get some.
  int64_t least = largest_portion(region, best.after);
  const int64_t most = std::min(2 * region.wanted + 1, region.wanted + most_more_portions);
  for (int64_t portions = region.wanted + 1; portions <= most; ++portions) {
    Hosts again = hosts;
    Remerged other = remerge(region, again, portions);
    if (static_cast<int64_t>(other.after.leaves().size()) > region.wanted) continue;
    const int64_t largest = largest_portion(region, other.after);
    if (largest < least) {
      least = largest;
      best = std::move(other);
    }
  }
  return best;
}

Division divide_tree(const Region& region, Hosts& hosts) {
  Division division;
  if (!placement_row(region.facts.wishes.placement).by_memory) {
    division.alignment = alignment_for(region, region.wanted);
    const PartitionTree tree = bisect(region, region.wanted, division.alignment);
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
