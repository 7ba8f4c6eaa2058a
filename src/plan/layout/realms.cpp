#include "plan/layout/realms.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/checked.h"
#include "plan/facts/spans.h"

namespace concilio::plan {
namespace {

// An aggregator with less to do than this costs more in synchronisation than it relieves the others of.
constexpr int64_t least_realm_bytes = 64 << 10;
// Borders lie at block boundaries only if realms are large: they would make small ones uneven.
constexpr int64_t least_blocks_of_aligned_realm = 16;

constexpr std::array<RealmPolicyRow, 7> policy_table = {{
    {RealmPolicy::even, "even", "equal parts of the call's range", false, divide_even},
    {RealmPolicy::aligned, "aligned", "equal parts with borders at stripes or blocks", false, divide_aligned},
    {RealmPolicy::persistent, "persistent", "parts of the file that stay as long as it is open", true,
     divide_persistent},
    {RealmPolicy::cyclic, "cyclic", "blocks or stripes of the file, dealt round-robin", true, divide_cyclic},
    {RealmPolicy::balanced, "balanced", "parts with equal data", false, divide_balanced},
    {RealmPolicy::tree, "tree", "partition tree, remerged where memory is short", false, divide_tree},
    {RealmPolicy::user, "user", "what concilio_file_set_realms was given", true, divide_user},
}};

// The parts of `spans` in `range`; `next` is the first span that may reach into it, and is moved on.
std::vector<pattern::Interval> clip(std::span<const pattern::Interval> spans, pattern::Interval range,
                                    size_t& next) {
  std::vector<pattern::Interval> parts;
  while (next < spans.size() && spans[next].end <= range.begin) ++next;
  for (; next < spans.size() && spans[next].begin < range.end; ++next) {
    parts.push_back({std::max(spans[next].begin, range.begin), std::min(spans[next].end, range.end)});
    if (spans[next].end > range.end) break;
  }
  return parts;
}

// Adds an interval to ascending ones that end before it.
void add_behind(std::vector<pattern::Interval>& intervals, pattern::Interval next) {
  if (!intervals.empty() && intervals.back().end == next.begin) {
    intervals.back().end = next.end;
  } else {
    intervals.push_back(next);
  }
}

// The data positions of `owned` that lie in the intervals.
std::vector<pattern::Interval> positions_of(const pattern::Access& owned,
                                            const std::vector<pattern::Interval>& intervals) {
  if (owned.is_contiguous() && owned.displacement() == 0) return intervals;
  std::vector<pattern::Interval> out;
  for (const pattern::Interval& interval : intervals) {
    const pattern::Interval part{owned.data_before(interval.begin), owned.data_before(interval.end)};
    if (!part.empty()) add_behind(out, part);
  }
  return out;
}

Division given_realms(const FixedRealms& fixed) {
  Division division;
  division.alignment = fixed.alignment;
  division.piece_bytes = fixed.owned.size() > 1 ? fixed.piece_bytes : 0;
  for (size_t i = 0; i < fixed.owned.size(); ++i) {
    division.portions.push_back({fixed.owned[i]});
    if (i < fixed.aggregators.size()) division.portions.back().aggregator = fixed.aggregators[i];
  }
  return division;
}

// The call's file bytes in each portion: the group's spans within its range. If the portions belong to the
// file, each gets all spans.
std::vector<std::vector<pattern::Interval>> file_bytes(const Division& division,
                                                       std::span<const pattern::Interval> spans) {
  std::vector<std::vector<pattern::Interval>> out;
  size_t next = 0;
  int64_t behind = 0;
  for (const Portion& portion : division.portions) {
    if (portion.range.begin < behind) next = 0;
    behind = portion.range.end;
    out.push_back(clip(spans, portion.range, next));
  }
  return out;
}

// Chooses an aggregator for every portion that has bytes or may have some in a later call. False if the hosts
// cannot take on that many.
bool place(const Facts& facts, Hosts& hosts, const std::vector<std::vector<pattern::Interval>>& bytes,
           bool of_file, std::vector<Portion>& portions) {
  std::vector<size_t> unplaced;
  std::vector<std::vector<pattern::Interval>> their_bytes;
  for (size_t i = 0; i < portions.size(); ++i) {
    if (portions[i].aggregator || (bytes[i].empty() && !of_file)) continue;
    unplaced.push_back(i);
    their_bytes.push_back(bytes[i]);
  }
  if (unplaced.empty()) return true;
  const std::vector<Aggregator> placed = placement_row(facts.wishes.placement).place(hosts, their_bytes);
  for (size_t i = 0; i < std::min(placed.size(), unplaced.size()); ++i)
    portions[unplaced[i]].aggregator = placed[i];
  return placed.size() >= unplaced.size();
}

std::shared_ptr<const FixedRealms> fixed_as(RealmPolicy policy, const Division& division) {
  auto fixed = std::make_shared<FixedRealms>();
  fixed->alignment = division.alignment;
  fixed->piece_bytes = std::max<int64_t>(1, division.piece_bytes);
  fixed->policy = policy;
  for (const Portion& portion : division.portions) {
    fixed->owned.push_back(portion.owned);
    if (portion.aggregator) fixed->aggregators.push_back(*portion.aggregator);
  }
  return fixed;
}

}  // namespace

std::span<const RealmPolicyRow> realm_policy_rows() {
  return policy_table;
}

const RealmPolicyRow& realm_policy_row(RealmPolicy policy) {
  return policy_table[static_cast<size_t>(policy) - 1];
}

const char* realm_policy_name(RealmPolicy policy) {
  return policy == RealmPolicy::automatic ? "auto" : realm_policy_row(policy).name;
}

RealmPolicy chosen_policy(const Facts& facts) {
  const bool given = facts.given != nullptr;
  const RealmPolicy wished = facts.wishes.realms;
  if (wished == RealmPolicy::user && !given) return RealmPolicy::even;
  if (wished != RealmPolicy::automatic) return wished;
  if (given) return RealmPolicy::user;
  if (facts.trial.realms != RealmPolicy::automatic) return facts.trial.realms;
  return facts.wishes.groups && facts.nodes.size() > 1 ? RealmPolicy::tree : RealmPolicy::even;
}

Hosts hosts_of(const Facts& facts, const Group& group) {
  return {facts, group.nodes, chosen_policy(facts) == RealmPolicy::user};
}

std::shared_ptr<const FixedRealms> known_realms(const Facts& facts, RealmPolicy policy) {
  if (policy == RealmPolicy::user) return facts.given;
  return facts.fixed && facts.fixed->policy == policy ? facts.fixed : nullptr;
}

int64_t wanted_realms(const Facts& facts, const Group& group) {
  const RealmPolicy policy = chosen_policy(facts);
  const Hosts hosts = hosts_of(facts, group);
  const int64_t available = hosts.most(false);
  if (facts.wishes.aggregators > 0) {
    // The number asked for is that of all groups together; each group gets its share.
    const int64_t in_all = facts.wishes.aggregators;
    const __int128 share = group.data_bytes > 0 && facts.digest.bytes > 0
                               ? static_cast<__int128>(in_all) * group.data_bytes / facts.digest.bytes
                               : in_all;
    return std::min(available, std::max<int64_t>(1, static_cast<int64_t>(std::min<__int128>(share, in_all))));
  }
  // Realms of the file serve larger calls too.
  if (realm_policy_row(policy).of_file) return available;
  const int64_t bytes = total_bytes(group.spans);
  if (policy != RealmPolicy::tree)
    return std::min(available, std::max<int64_t>(1, bytes / least_realm_bytes));
  const bool by_memory = placement_row(facts.wishes.placement).by_memory;
  const int64_t able = std::max<int64_t>(std::min<int64_t>(1, available), hosts.most(by_memory));
  return std::min(able, ceil_divide(bytes, std::max<int64_t>(1, facts.wishes.domain_bytes)));
}

namespace {

// Even realms, for when a policy fails.
std::vector<Realm> even_realms(const Facts& facts, const Group& group, int64_t count) {
  Facts evenly = facts;
  evenly.wishes.realms = RealmPolicy::even;
  evenly.fixed = evenly.given = nullptr;
  std::shared_ptr<const FixedRealms> none;
  return realms_of(evenly, group, count, none);
}

}  // namespace

std::vector<Realm> realms_of(const Facts& facts, const Group& group, int64_t count,
                             std::shared_ptr<const FixedRealms>& fixed) {
  if (count < 1 || group.spans.empty()) return {};
  const RealmPolicyRow& policy = realm_policy_row(chosen_policy(facts));
  Hosts hosts = hosts_of(facts, group);
  const int64_t most = hosts.most(false);
  if (most < 1) return {};
  count = std::min(count, most);
  const std::shared_ptr<const FixedRealms> known = known_realms(facts, policy.policy);
  Division division = known ? given_realms(*known) : policy.divide({facts, group, count}, hosts);
  if (division.portions.empty()) return {};
  const std::vector<std::vector<pattern::Interval>> bytes = file_bytes(division, group.spans);
  if (!place(facts, hosts, bytes, policy.of_file, division.portions)) {
    // There are more realms than ranks that may aggregate, and no bytes may be left out.
    return even_realms(facts, group, count);
  }
  if (policy.of_file) {
    const bool stays = known && !known->aggregators.empty();
    fixed = stays ? known : fixed_as(policy.policy, division);
  }
  std::vector<Realm> realms;
  std::map<int, size_t> realm_of;  // by aggregator
  for (size_t i = 0; i < division.portions.size(); ++i) {
    const Portion& portion = division.portions[i];
    if (!portion.aggregator || bytes[i].empty()) continue;
    const std::vector<pattern::Interval> positions = positions_of(portion.owned, bytes[i]);
    if (positions.empty()) continue;
    const auto [place, fresh] = realm_of.try_emplace(portion.aggregator->rank, realms.size());
    if (fresh) {
      Realm realm;
      realm.aggregator = portion.aggregator->rank;
      realm.node = portion.aggregator->node;
      realm.owned = portion.owned;
      realm.alignment = division.alignment;
      realm.piece_bytes = division.piece_bytes;
      realms.push_back(std::move(realm));
    }
    Realm& realm = realms[place->second];
    for (const pattern::Interval& part : positions) add_behind(realm.positions, part);
    realm.bytes += total_bytes(positions);
  }
  int64_t bytes_in_all = 0;
  for (const Realm& realm : realms) bytes_in_all += realm.bytes;
  // A policy that leaves bytes out or gives some to two realms would lose data.
  if (bytes_in_all != total_bytes(group.spans) && policy.policy != RealmPolicy::even) {
    fixed = nullptr;
    return even_realms(facts, group, count);
  }
  return realms;
}

std::vector<Portion> between(const std::vector<int64_t>& borders) {
  std::vector<Portion> portions;
  for (size_t i = 1; i < borders.size(); ++i)
    portions.push_back({pattern::Access::contiguous(0), {borders[i - 1], borders[i]}});
  return portions;
}

std::vector<int64_t> aligned_borders(pattern::Interval range, int64_t count, int64_t alignment,
                                     const std::function<int64_t(int64_t)>& wish) {
  std::vector<int64_t> borders{range.begin};
  for (int64_t i = 1; i < count; ++i) {
    const int64_t wished = std::clamp(wish(i), range.begin, range.end);
    const int64_t below = align_down(wished, alignment);
    const bool up = wished - below > alignment / 2 && below <= INT64_MAX - alignment;
    const int64_t border = up ? below + alignment : below;
    if (border > borders.back() && border < range.end) borders.push_back(border);
  }
  borders.push_back(range.end);
  return borders;
}

Division in_equal_parts(const Region& region, int64_t alignment) {
  const pattern::Interval range = region.range();
  const int64_t first_unit = floor_divide(range.begin, alignment);
  const int64_t units = ceil_divide(range.end, alignment) - first_unit;
  const int64_t count = std::min(region.wanted, units);
  Division division;
  division.alignment = alignment;
  division.portions = between(aligned_borders(range, count, alignment, [&](int64_t i) {
    return (first_unit + static_cast<int64_t>(static_cast<__int128>(units) * i / count)) * alignment;
  }));
  return division;
}

Division dealt_out(int64_t block_bytes, int64_t count, int64_t alignment) {
  Division division;
  block_bytes = std::clamp<int64_t>(block_bytes, 1, (INT64_MAX >> 1) / count);
  if (block_bytes % alignment == 0) division.alignment = alignment;
  if (count == 1) {
    division.portions.emplace_back();
    return division;
  }
  division.piece_bytes = block_bytes;
  for (int64_t i = 0; i < count; ++i) {
    division.portions.push_back(
        {pattern::Access(pattern::Nest::bytes(block_bytes), i * block_bytes, count * block_bytes)});
  }
  return division;
}

int64_t unit_bytes(const Facts& facts) {
  if (facts.wishes.alignment_bytes > 0) return facts.wishes.alignment_bytes;
  if (facts.storage.stripe_bytes > 0 && !facts.trial.cuts_stripes) return facts.storage.stripe_bytes;
  return std::max<int64_t>(1, facts.storage.block_bytes);
}

int64_t unit_for(const Facts& facts, int64_t realm_bytes) {
  const bool asked =
      facts.wishes.alignment_bytes > 0 || (facts.storage.stripe_bytes > 0 && !facts.trial.cuts_stripes);
  const int64_t unit = unit_bytes(facts);
  return asked || realm_bytes / least_blocks_of_aligned_realm >= unit ? unit : 1;
}

}  // namespace concilio::plan
