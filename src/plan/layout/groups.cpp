#include "plan/layout/groups.h"

#include <algorithm>
#include <numeric>

#include "plan/facts/spans.h"

namespace concilio::plan {
namespace {

// Sets of nodes that are joined one by one.
class Sets {
 public:
  explicit Sets(size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), size_t{0}); }
  size_t root(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(size_t a, size_t b) { parent_[root(a)] = root(b); }

 private:
  std::vector<size_t> parent_;
};

struct NodeSpan {
  pattern::Interval file;
  size_t node;
};

std::vector<NodeSpan> sorted_spans(const Facts& facts) {
  std::vector<NodeSpan> out;
  for (size_t node = 0; node < facts.nodes.size(); ++node) {
    for (const pattern::Interval& span : facts.nodes[node].spans) out.push_back({span, node});
  }
  std::sort(out.begin(), out.end(), [](const NodeSpan& a, const NodeSpan& b) {
    return a.file.begin != b.file.begin ? a.file.begin < b.file.begin : a.node < b.node;
  });
  return out;
}

Group whole(const Facts& facts, std::span<const pattern::Interval> spans) {
  Group group;
  group.nodes.resize(facts.nodes.size());
  std::iota(group.nodes.begin(), group.nodes.end(), 0);
  group.spans.assign(spans.begin(), spans.end());
  return group;
}

// The smallest possible groups, by their first byte; only their nodes and bytes are filled in.
std::vector<Group> smallest_groups(const Facts& facts) {
  const int64_t unit = facts.trial.whole_stripes ? std::max<int64_t>(1, facts.storage.stripe_bytes) : 1;
  const std::vector<NodeSpan> all = sorted_spans(facts);
  Sets sets(facts.nodes.size());
  size_t widest = 0;  // index of the span that reaches furthest so far
  for (size_t i = 1; i < all.size(); ++i) {
    if (all[i].file.begin / unit <= (all[widest].file.end - 1) / unit)
      sets.join(all[i].node, all[widest].node);
    if (all[i].file.end > all[widest].file.end) widest = i;
  }
  std::vector<Group> groups;
  std::vector<int> group_of(facts.nodes.size(), -1);
  for (const NodeSpan& span : all) {
    int& of_set = group_of[sets.root(span.node)];
    if (of_set >= 0) continue;
    of_set = static_cast<int>(groups.size());
    groups.emplace_back();
  }
  for (size_t node = 0; node < facts.nodes.size(); ++node) {
    if (facts.nodes[node].spans.empty()) continue;
    Group& group = groups[static_cast<size_t>(group_of[sets.root(node)])];
    group.nodes.push_back(static_cast<int>(node));
    group.data_bytes += facts.nodes[node].bytes;
  }
  return groups;
}

void take_in(Group& group, const Group& other) {
  group.nodes.insert(group.nodes.end(), other.nodes.begin(), other.nodes.end());
  group.data_bytes += other.data_bytes;
}

// Joins neighbouring groups until each has `bytes`; what is left over at the end is added to the last.
std::vector<Group> grown(const std::vector<Group>& groups, int64_t bytes) {
  std::vector<Group> out;
  for (const Group& group : groups) {
    if (!out.empty() && out.back().data_bytes < bytes) {
      take_in(out.back(), group);
    } else {
      out.push_back(group);
    }
  }
  if (out.size() > 1 && out.back().data_bytes < bytes / 2) {
    take_in(out[out.size() - 2], out.back());
    out.pop_back();
  }
  return out;
}

// Fills in the groups' spans: the stretches of their nodes, joined across gaps that are too small to be worth
// a request and hold no other group's bytes.
void gather_spans(const Facts& facts, std::vector<Group>& groups) {
  std::vector<NodeSpan> all = sorted_spans(facts);
  std::vector<size_t> group_of(facts.nodes.size());
  for (size_t i = 0; i < groups.size(); ++i) {
    for (const int node : groups[i].nodes) group_of[static_cast<size_t>(node)] = i;
  }
  const Group* before = nullptr;
  for (const NodeSpan& span : all) {
    Group& group = groups[group_of[span.node]];
    std::vector<pattern::Interval>& spans = group.spans;
    const bool joins =
        !spans.empty() && (span.file.begin <= spans.back().end ||
                           (before == &group && span.file.begin - spans.back().end < joined_gap_bytes));
    if (joins) {
      spans.back().end = std::max(spans.back().end, span.file.end);
    } else {
      spans.push_back(span.file);
    }
    before = &group;
  }
}

// The bytes that a group must have so that there are no more groups than aggregators asked for.
int64_t bytes_of_group(const Facts& facts) {
  int64_t bytes = std::max<int64_t>(1, facts.wishes.group_bytes);
  if (facts.wishes.aggregators > 0) bytes = std::max(bytes, facts.digest.bytes / facts.wishes.aggregators);
  return bytes;
}

}  // namespace

std::vector<Group> aggregation_groups(const Facts& facts, std::span<const pattern::Interval> spans,
                                      bool of_file) {
  const bool known = std::any_of(facts.nodes.begin(), facts.nodes.end(),
                                 [](const NodeFacts& node) { return !node.spans.empty(); });
  const bool one = of_file || !facts.wishes.groups || facts.trial.one_group;
  if (one || facts.nodes.size() < 2 || !known) return {whole(facts, spans)};
  std::vector<Group> groups = grown(smallest_groups(facts), bytes_of_group(facts));
  if (facts.wishes.aggregators > 0) {
    for (int64_t bytes = bytes_of_group(facts);
         static_cast<int64_t>(groups.size()) > facts.wishes.aggregators && bytes < INT64_MAX / 2;) {
      bytes *= 2;
      groups = grown(groups, bytes);
    }
  }
  for (Group& group : groups) std::sort(group.nodes.begin(), group.nodes.end());
  if (groups.size() == 1) {
    groups.front().spans.assign(spans.begin(), spans.end());
    return groups;
  }
  gather_spans(facts, groups);
  for (Group& group : groups) group.spans = intersection(group.spans, spans);
  return groups;
}

}  // namespace concilio::plan
