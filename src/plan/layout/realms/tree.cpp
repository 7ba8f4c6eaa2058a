// Realms by partition tree (memory-conscious collective I/O, sections 3.2 and 3.3). Recursive bisection
// divides the group's region into portions of about Wishes::domain_bytes. Each is placed on the host with
// most available memory among those whose data lie in it. A portion that no such host can serve is taken over
// by its neighbour in the tree.
//
// Portions have equally many bytes of the region's spans, which leave out known holes. An aggregator has one
// or several, side by side where its host has data in all of them. Fewer and larger portions may be shared
// more evenly, and more and smaller ones may follow more closely where the data lie. So a few trees are
// tried, and the one is taken whose largest realm is smallest; among those that are about as good in this,
// the one that leaves most data on the nodes that ask for them. If they are about as good in this too, since
// all nodes have data everywhere, the one is taken whose realms are in fewest stretches of the file: a window
// that is one stretch has equally many stripes of each storage target.
#include "plan/layout/realms/tree.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/checked.h"
#include "plan/facts/spans.h"

namespace concilio::plan {

namespace {

// How many trees are tried if hosts are short of memory.
constexpr int64_t most_more_portions = 8;
// With more portions than this, a few more make no difference, and each trial takes as long.
constexpr int64_t most_tried_portions = 256;
// How many portions there are for each aggregator, and in all, if they are shared by memory.
constexpr int64_t portions_by_memory = 16, most_by_memory = 1024;
// Realms are about as large as others if they are larger by no more than this part.
constexpr int64_t alike = 16;

PartitionTree bisect(const Region& region, int64_t portions, int64_t alignment) {
  const std::vector<pattern::Interval>& spans = region.group.spans;
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

int64_t alignment_for(const Region& region) {
  return unit_for(region.facts, total_bytes(region.group.spans) / region.wanted);
}

std::vector<pattern::Interval> bytes_of(const Region& region, const PartitionTree& tree, int leaf) {
  return intersection(std::span(&tree.vertex(leaf).file, 1), region.group.spans);
}

// How many portions an aggregator may have: one, equally many, or as its host has memory.
enum class Shares { one, equal, by_memory };

Remerged remerge(const Region& region, Hosts hosts, int64_t portions, Shares shares) {
  const int64_t alignment = alignment_for(region);
  const PartitionTree tree = bisect(region, portions, alignment);
  Remerged out{tree, tree, 0, alignment};
  PartitionTree& after = out.after;
  const auto give = [&](int leaf, const Aggregator& aggregator) {
    after.vertex(leaf).aggregator = aggregator.rank;
    after.vertex(leaf).node = aggregator.node;
  };
  const std::vector<int> leaves = tree.leaves();
  const int64_t count = std::ssize(leaves);
  if (shares == Shares::equal) hosts.allow_portions(ceil_divide(count, region.wanted));
  if (shares == Shares::by_memory) hosts.allow_portions_by_memory(count, region.wanted);
  // From left to right: a leaf to the left that takes over a portion already has an aggregator, and a leaf to
  // the right will get one with what it took over.
  int64_t share = -1;  // of the region, if its aggregators had equal ones
  for (int64_t i = 0; i < count; ++i) {
    const int leaf = leaves[static_cast<size_t>(i)];
    const std::vector<pattern::Interval> bytes = bytes_of(region, after, leaf);
    const bool same = share == std::exchange(share, i * region.wanted / count);
    const bool goes_on = same || shares == Shares::by_memory;
    auto found = hosts.with_most_memory(bytes, goes_on);
    // Memory counts for more than where the data are: the price tells whether that pays.
    if (!found && shares == Shares::by_memory) found = hosts.that_goes_on();
    if (!found && (shares == Shares::by_memory || leaf == after.root())) found = hosts.best_of_all(bytes);
    if (found) {
      give(leaf, *found);
    } else if (leaf != after.root()) {
      after.take_over(leaf);
      ++out.taken_over;
    }
  }
  return out;
}

// What a tree is judged by.
struct Merits {
  int64_t realms = 0;
  int64_t largest_realm = 0;
  int64_t bytes = 0;      // of the region, the same for all its trees
  int64_t at_home = 0;    // bytes in realms of the nodes in whose stretches they lie
  int64_t stretches = 0;  // of the region, each in one realm
};

Merits merits_of(const Region& region, const PartitionTree& tree) {
  Merits merits;
  std::map<int, int64_t> realms;  // by aggregator
  int last = PartitionTree::none;
  for (const int leaf : tree.leaves()) {
    const PartitionTree::Vertex& vertex = tree.vertex(leaf);
    const std::vector<pattern::Interval> bytes = bytes_of(region, tree, leaf);
    realms[vertex.aggregator] += total_bytes(bytes);
    if (vertex.aggregator != std::exchange(last, vertex.aggregator)) ++merits.stretches;
    if (vertex.node == PartitionTree::none) continue;
    const NodeFacts& node = region.facts.nodes[static_cast<size_t>(vertex.node)];
    merits.at_home += total_bytes(intersection(bytes, node.spans));
  }
  merits.realms = std::ssize(realms);
  merits.bytes = total_bytes(region.group.spans);
  for (const auto& [aggregator, bytes] : realms) merits.largest_realm = std::max(merits.largest_realm, bytes);
  return merits;
}

bool is_better(const Merits& a, const Merits& b) {
  const auto much_smaller = [](int64_t x, int64_t y) { return x < y && y - x > y / alike; };
  if (much_smaller(a.largest_realm, b.largest_realm)) return true;
  if (much_smaller(b.largest_realm, a.largest_realm)) return false;
  const int64_t more_at_home = a.at_home - b.at_home, much = a.bytes / alike;
  if (more_at_home > much || more_at_home < -much) return more_at_home > 0;
  if (a.stretches != b.stretches) return a.stretches < b.stretches;
  return more_at_home != 0 ? more_at_home > 0 : a.largest_realm < b.largest_realm;
}

}  // namespace

Remerged partition(const Region& region, const Hosts& hosts) {
  if (region.facts.trial.by_memory) {
    const int64_t portions = std::clamp(most_by_memory / region.wanted, int64_t{1}, portions_by_memory);
    return remerge(region, hosts, region.wanted * portions, Shares::by_memory);
  }
  Remerged best = remerge(region, hosts, region.wanted, Shares::one);
  if (region.wanted > most_tried_portions) return best;
  Merits its = merits_of(region, best.after);
  const auto consider = [&](int64_t portions, Shares shares) {
    Remerged other = remerge(region, hosts, portions, shares);
    const Merits merits = merits_of(region, other.after);
    if (merits.realms > region.wanted || !is_better(merits, its)) return;
    its = merits;
    best = std::move(other);
  };
  const int64_t taken_over = best.taken_over;
  const int64_t wished =
      ceil_divide(total_bytes(region.group.spans), std::max<int64_t>(1, region.facts.wishes.domain_bytes));
  const int64_t of_each = std::min(ceil_divide(wished, region.wanted), most_tried_portions / region.wanted);
  if (of_each > 1) consider(region.wanted * of_each, Shares::equal);
  if (taken_over == 0) return best;
  // Whole portions were taken over by neighbours. With a few more portions to begin with, each takeover may
  // be smaller, and hosts that had none may get some.
  const int64_t most = std::min(2 * region.wanted + 1, region.wanted + most_more_portions);
  for (int64_t portions = region.wanted + 1; portions <= most; ++portions) consider(portions, Shares::one);
  return best;
}

Division divide_tree(const Region& region, Hosts& hosts) {
  Division division;
  if (!placement_row(region.facts.wishes.placement).by_memory) {
    division.alignment = alignment_for(region);
    const PartitionTree tree = bisect(region, region.wanted, division.alignment);
    for (const int leaf : tree.leaves())
      division.portions.push_back({pattern::Access::contiguous(0), tree.vertex(leaf).file});
    return division;
  }
  const Remerged merged = partition(region, hosts);
  division.alignment = merged.alignment;
  for (const int leaf : merged.after.leaves()) {
    const PartitionTree::Vertex& vertex = merged.after.vertex(leaf);
    division.portions.push_back({pattern::Access::contiguous(0), vertex.file});
    if (vertex.node != PartitionTree::none)
      division.portions.back().aggregator = Aggregator{vertex.aggregator, vertex.node};
  }
  return division;
}

}  // namespace concilio::plan
