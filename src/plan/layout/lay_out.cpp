#include "plan/layout/lay_out.h"

#include <algorithm>

#include "plan/facts/spans.h"
#include "plan/layout/exchange.h"
#include "plan/layout/footprint.h"
#include "plan/layout/groups.h"
#include "plan/layout/realms.h"
#include "plan/layout/stagger.h"
#include "plan/layout/windows.h"

namespace concilio::plan {
namespace {

// Makes the realms of one group: as many as are worthwhile, or as there is room for.
void lay_out(const Facts& facts, Layout& layout, Group& group) {
  const auto first = layout.realms.size();
  int64_t count = wanted_realms(facts, group);
  if (!realm_policy_row(layout.policy).of_file) {
    count = most_realms(facts, layout, group, count);
  } else if (!known_realms(facts, layout.policy)) {
    // The call that fixes the realms may touch few of them, and a later one all.
    count = most_lasting_realms(facts, layout, group, count);
  }
  for (;;) {
    std::vector<Realm> realms = realms_of(facts, group, count, layout.fixed);
    layout.realms.resize(first);
    for (Realm& realm : realms) {
      realm.group = static_cast<int>(&group - layout.groups.data());
      layout.realms.push_back(std::move(realm));
    }
    group.wanted_realms = count;
    group.first_realm = static_cast<int>(first);
    group.end_realm = static_cast<int>(layout.realms.size());
    const auto made = static_cast<int64_t>(layout.realms.size() - first);
    const bool stays = known_realms(facts, layout.policy) != nullptr;
    const bool fits = size_windows(facts, layout, group);
    if (stays && !fits) {
      // It is more important that a byte always goes through the same aggregator than that the budget is
      // kept.
      layout.warning =
          "the file's realms are fixed and need more memory than there is to spare; planned with the "
          "smallest windows";
    }
    if (made <= 1 || stays) return;
    const bool asked = facts.wishes.aggregators > 0 || facts.wishes.window_bytes > 0;
    const int64_t better = asked ? made : realms_with_room(layout, group);
    if (fits && better == made) return;
    // Not even the smallest windows fit for this many realms, or they are too small to be worthwhile.
    count = fits ? better : std::min({count - 1, made * 3 / 4, better});
  }
}

// How many bytes an aggregator may hold back. It may if a byte always goes through the same aggregator and
// nobody reads or writes the file without aggregators. It may use half of the memory; the rest is for
// windows.
int64_t behind_bytes(const Facts& facts, RealmPolicy policy) {
  const bool may = facts.operation == Operation::write && realm_policy_row(policy).of_file &&
                   facts.wishes.no_independent && !facts.atomic;
  int64_t bytes = may ? facts.wishes.write_behind_bytes : 0;
  for (const NodeFacts& node : facts.nodes) {
    const NodeLimit limit = node_limit(facts, node);
    // Realms that the user gives may need every candidate as an aggregator.
    const int64_t most = policy == RealmPolicy::user ? static_cast<int64_t>(node.candidates.size())
                                                     : aggregators_per_node(facts, node, facts.nodes.size());
    const int64_t aggregators = std::max<int64_t>(1, most);
    bytes = std::min({bytes, limit.rank_bytes / 2, limit.node_bytes / 2 / aggregators});
  }
  return bytes;
}

// Realms of the file hold back what a call leaves for the next one.
bool may_have_holes(const Facts& facts, std::span<const pattern::Interval> spans, RealmPolicy policy) {
  return facts.digest.bytes < total_bytes(spans) || overlap(facts) || realm_policy_row(policy).of_file;
}

int64_t most_ranks_of_group(const Facts& facts, const Layout& layout) {
  int64_t most = 0;
  for (const Group& group : layout.groups) {
    int64_t ranks = 0;
    for (const int node : group.nodes) ranks += facts.nodes[static_cast<size_t>(node)].ranks;
    most = std::max(most, ranks);
  }
  return most;
}

}  // namespace

void lay_out_two_phase(const Facts& facts, const std::vector<pattern::Interval>& spans, Layout& layout) {
  layout.operation = facts.operation;
  layout.trial = facts.trial;
  layout.granule = {std::max<int64_t>(1, facts.digest.granule), facts.digest.anchor};
  layout.policy = chosen_policy(facts);
  if (spans.empty()) return;
  layout.warning = memory_limit(facts).warning;
  if (facts.wishes.realms == RealmPolicy::user && !facts.given) {
    layout.warning += layout.warning.empty() ? "" : "; ";
    layout.warning += "concilio_realms=user, but concilio_file_set_realms gave none: even realms are taken";
  }
  layout.groups = aggregation_groups(facts, spans, realm_policy_row(layout.policy).of_file);
  layout.group_of_node.assign(facts.nodes.size(), -1);
  for (size_t i = 0; i < layout.groups.size(); ++i) {
    for (const int node : layout.groups[i].nodes)
      layout.group_of_node[static_cast<size_t>(node)] = static_cast<int>(i);
  }
  layout.behind_bytes = behind_bytes(facts, layout.policy);
  layout.exchange = exchange_of(facts);
  layout.may_have_holes = may_have_holes(facts, spans, layout.policy);
  if (layout.exchange == ExchangeStrategy::descriptions) {
    layout.description_bytes = room_for_description(facts.digest.description_bytes);
    layout.told_bytes = room_for_descriptions(facts, most_ranks_of_group(facts, layout));
    layout.parcel_bytes.resize(facts.nodes.size());
    for (const NodeFacts& node : facts.nodes)
      layout.own_told_bytes.push_back(node.ranks * descriptions_bytes(facts, node.ranks));
  }
  for (Group& group : layout.groups) lay_out(facts, layout, group);
  if (!facts.trial.from_front) stagger(facts, layout);
  for (const Realm& realm : layout.realms)
    layout.window_bytes = std::max(layout.window_bytes, realm.window_bytes);
  add_up_memory(facts, layout);
  count_rounds(layout);
  if (!layout.fixed) layout.behind_bytes = 0;  // the realms of the file could not be made
}

}  // namespace concilio::plan
