#include "plan/two_phase.h"

#include <algorithm>

#include "plan/footprint.h"
#include "plan/groups.h"
#include "plan/price.h"
#include "plan/realms.h"
#include "plan/windows.h"

namespace concilio {
namespace {

// The realms of one group: as many as it is worth, or as have room.
void lay_out(const Facts& facts, Plan& plan, Group& group) {
  const auto first = plan.realms.size();
  int64_t count = wanted_realms(facts, group);
  if (!realm_policy_row(plan.policy).of_file) {
    count = most_realms(facts, plan, group, count);
  } else if (!known_realms(facts, plan.policy)) {
    // A call that fixes realms may touch few of them, and a later one all.
    count = most_lasting_realms(facts, plan, group, count);
  }
  for (;;) {
    std::vector<Realm> realms = realms_of(facts, group, count, plan.fixed);
    plan.realms.resize(first);
    for (Realm& realm : realms) {
      realm.group = static_cast<int>(&group - plan.groups.data());
      plan.realms.push_back(std::move(realm));
    }
    group.wanted_realms = count;
    group.first_realm = static_cast<int>(first);
    group.end_realm = static_cast<int>(plan.realms.size());
    const auto made = static_cast<int64_t>(plan.realms.size() - first);
    const bool stays = known_realms(facts, plan.policy) != nullptr;
    const bool fits = size_windows(facts, plan, group);
    if (stays && !fits) {
      // That a byte always goes through the same aggregator comes before the budget.
      plan.warning =
          "the file's realms are fixed and need more memory than there is to spare; planned with the "
          "smallest windows";
    }
    if (made <= 1 || stays) return;
    const bool asked = facts.wishes.aggregators > 0 || facts.wishes.window_bytes > 0;
    const int64_t better = asked ? made : realms_with_room(plan, group);
    if (fits && better == made) return;
    // Not even the smallest windows fit for so many realms, or they are too small to be worth it.
    count = fits ? better : std::min({count - 1, made * 3 / 4, better});
  }
}

// What an aggregator may hold back: where a byte always goes through the same one, and nobody looks at the
// file past it. Half of what memory there is, the rest is for windows.
int64_t behind_bytes(const Facts& facts, RealmPolicy policy) {
  const bool may = facts.operation == Operation::write && realm_policy_row(policy).of_file &&
                   facts.wishes.no_independent && !facts.atomic;
  int64_t bytes = may ? facts.wishes.write_behind_bytes : 0;
  for (const NodeFacts& node : facts.nodes) {
    const NodeLimit limit = node_limit(facts, node);
    // Realms that the user gives may need all.
    const int64_t most = policy == RealmPolicy::user ? static_cast<int64_t>(node.candidates.size())
                                                     : aggregators_per_node(facts, node, facts.nodes.size());
    const int64_t aggregators = std::max<int64_t>(1, most);
    bytes = std::min({bytes, limit.rank_bytes / 2, limit.node_bytes / 2 / aggregators});
  }
  return bytes;
}

}  // namespace

void count_rounds(Plan& plan) {
  plan.rounds = 0;
  for (Group& group : plan.groups) {
    group.rounds = 0;
    for (int i = group.first_realm; i < group.end_realm; ++i)
      group.rounds = std::max(group.rounds, rounds_of(plan.realms[static_cast<size_t>(i)]));
    plan.rounds = std::max(plan.rounds, group.rounds);
  }
}

void lay_out_two_phase(const Facts& facts, const std::vector<Interval>& spans, Plan& plan) {
  plan.operation = facts.operation;
  plan.granule = {std::max<int64_t>(1, facts.digest.granule), facts.digest.anchor};
  plan.policy = chosen_policy(facts);
  if (spans.empty()) return;
  plan.warning = memory_limit(facts).warning;
  if (facts.wishes.realms == RealmPolicy::user && !facts.given) {
    plan.warning += plan.warning.empty() ? "" : "; ";
    plan.warning += "concilio_realms=user, but concilio_file_set_realms gave none: even realms are taken";
  }
  plan.groups = aggregation_groups(facts, spans, realm_policy_row(plan.policy).of_file);
  plan.group_of_node.assign(facts.nodes.size(), -1);
  for (size_t i = 0; i < plan.groups.size(); ++i) {
    for (const int node : plan.groups[i].nodes)
      plan.group_of_node[static_cast<size_t>(node)] = static_cast<int>(i);
  }
  plan.behind_bytes = behind_bytes(facts, plan.policy);
  for (Group& group : plan.groups) lay_out(facts, plan, group);
  for (const Group& group : plan.groups)
    plan.segment_bytes = std::max(plan.segment_bytes, group.segment_bytes);
  for (const Realm& realm : plan.realms) {
    plan.window_bytes = std::max(plan.window_bytes, realm.window_bytes);
    const Group& group = plan.groups[static_cast<size_t>(realm.group)];
    plan.staging_bytes = std::max(plan.staging_bytes, staging_bytes(plan, group, realm));
  }
  plan.peak_bytes = peak_bytes(facts, plan);
  count_rounds(plan);
  if (!plan.fixed) plan.behind_bytes = 0;  // the realms of the file could not be had
  plan.exchange = choose_exchange(facts, plan, prices_of(facts));
}

namespace {

// Adds the file intervals of data [begin, end) of a realm's bytes.
void add_pieces(const Access& owned, Interval data, std::vector<Interval>& out) {
  if (owned.is_contiguous()) {
    out.push_back({owned.offset_of(data.begin), owned.offset_of(data.begin) + data.length()});
    return;
  }
  Cursor cursor(owned, data.begin);
  while (cursor.position() < data.end) {
    const Chunk chunk = cursor.next(data.end - cursor.position());
    for (int64_t i = 0; i < chunk.count; ++i) {
      const Interval piece{chunk.offset(i), chunk.offset(i) + chunk.length};
      if (!out.empty() && out.back().end == piece.begin) {
        out.back().end = piece.end;
      } else {
        out.push_back(piece);
      }
    }
  }
}

}  // namespace

std::vector<Interval> window(const Realm& realm, int64_t round) {
  std::vector<Interval> parts;
  window(realm, round, parts);
  return parts;
}

void window(const Realm& realm, int64_t round, std::vector<Interval>& into) {
  into.clear();
  if (round < 0 || round >= rounds_of(realm)) return;
  const int64_t pad = window_pad(realm);
  // Data positions of the call's bytes of the realm, counted along its positions.
  const int64_t begin = std::max<int64_t>(0, round * realm.window_bytes - pad);
  int64_t left = std::min(realm.bytes - begin, round == 0 ? realm.window_bytes - pad : realm.window_bytes);
  int64_t skip = begin;
  for (const Interval& stretch : realm.positions) {
    if (left == 0) break;
    if (skip >= stretch.length()) {
      skip -= stretch.length();
      continue;
    }
    const int64_t taken = std::min(left, stretch.length() - skip);
    add_pieces(realm.owned, {stretch.begin + skip, stretch.begin + skip + taken}, into);
    left -= taken;
    skip = 0;
  }
}

}  // namespace concilio
