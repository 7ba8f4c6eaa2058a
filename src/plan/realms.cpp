#include "plan/realms.h"

#include <algorithm>
#include <unordered_set>

#include "base/checked.h"

namespace concilio {
namespace {

// Gaps below this are taken along: moving 4 KiB costs less than one request more.
constexpr int64_t joined_gap_bytes = 4096;
// An aggregator with less than this to do costs more in synchronisation than it takes off the others.
constexpr int64_t least_realm_bytes = 64 << 10;
// One node's memory bandwidth is taken up by few cores.
constexpr int64_t most_aggregators_of_only_node = 4;
// Borders at block boundaries are for large realms only: elsewhere they would make realms uneven.
constexpr int64_t least_blocks_of_aligned_realm = 16;

int64_t aggregators_per_node(const Facts& facts, const NodeFacts& node) {
  const int64_t candidates = static_cast<int64_t>(node.candidates.size());
  if (facts.wishes.aggregators_per_node > 0) return std::min(candidates, facts.wishes.aggregators_per_node);
  if (facts.wishes.aggregators > 0) return candidates;
  // Every node holds an image of every realm's window, so memory grows with nodes times aggregators.
  if (facts.nodes.size() > 1) return std::min<int64_t>(candidates, 1);
  const int64_t busy_cores = std::min(node.ranks, std::max<int64_t>(1, facts.cores_per_node));
  return std::min({candidates, std::max<int64_t>(1, busy_cores), most_aggregators_of_only_node});
}

int64_t realm_alignment(const Facts& facts, int64_t range_bytes, int64_t realms) {
  if (facts.wishes.alignment_bytes > 0) return facts.wishes.alignment_bytes;
  if (facts.storage.stripe_bytes > 0) return facts.storage.stripe_bytes;
  const int64_t block_bytes = facts.storage.block_bytes;
  const bool large = block_bytes > 0 && range_bytes / realms / least_blocks_of_aligned_realm >= block_bytes;
  return large ? block_bytes : 1;
}

// The parts of `spans` in [begin, end). `next` is the first span that may reach into it, and is moved on.
std::vector<Interval> clip(const std::vector<Interval>& spans, Interval realm, size_t& next) {
  std::vector<Interval> parts;
  while (next < spans.size() && spans[next].begin < realm.end) {
    const Interval part{std::max(spans[next].begin, realm.begin), std::min(spans[next].end, realm.end)};
    if (!part.empty()) parts.push_back(part);
    if (spans[next].end > realm.end) break;
    ++next;
  }
  return parts;
}

}  // namespace

std::vector<Interval> file_spans(const Facts& facts) {
  const Digest& digest = facts.digest;
  if (digest.bytes <= 0 || digest.end <= digest.first) return {};
  std::vector<Interval> tight;
  for (const Bucket& bucket : facts.buckets) {
    const Interval interval{std::max(bucket.first, digest.first), std::min(bucket.end, digest.end)};
    if (bucket.bytes > 0 && !interval.empty()) tight.push_back(interval);
  }
  if (tight.empty()) return {{digest.first, digest.end}};
  std::sort(tight.begin(), tight.end(), [](Interval a, Interval b) { return a.begin < b.begin; });
  std::vector<Interval> spans;
  for (const Interval& interval : tight) {
    if (!spans.empty() && interval.begin - spans.back().end < joined_gap_bytes) {
      spans.back().end = std::max(spans.back().end, interval.end);
    } else {
      spans.push_back(interval);
    }
  }
  return spans;
}

int64_t total_bytes(const std::vector<Interval>& intervals) {
  int64_t bytes = 0;
  for (const Interval& interval : intervals) bytes += interval.length();
  return bytes;
}

int64_t wanted_aggregators(const Facts& facts, int64_t span_bytes) {
  int64_t available = 0;
  for (const NodeFacts& node : facts.nodes) available += aggregators_per_node(facts, node);
  if (facts.wishes.aggregators > 0) return std::min(available, facts.wishes.aggregators);
  return std::min(available, std::max<int64_t>(1, span_bytes / least_realm_bytes));
}

std::vector<Aggregator> pick_aggregators(const Facts& facts, int64_t count) {
  std::vector<Aggregator> picked;
  std::unordered_set<int> taken;
  const int nodes = static_cast<int>(facts.nodes.size());
  bool more = true;
  for (size_t turn = 0; more; ++turn) {
    more = false;
    for (int node = 0; node < nodes && static_cast<int64_t>(picked.size()) < count; ++node) {
      const NodeFacts& facts_of_node = facts.nodes[static_cast<size_t>(node)];
      if (static_cast<int64_t>(turn) >= aggregators_per_node(facts, facts_of_node)) continue;
      more = true;
      const int rank = facts_of_node.candidates[turn];
      if (taken.insert(rank).second) picked.push_back({rank, node});
    }
  }
  std::stable_sort(picked.begin(), picked.end(), [](Aggregator a, Aggregator b) { return a.node < b.node; });
  return picked;
}

RealmSet even_realms(const Facts& facts, const std::vector<Interval>& spans, int64_t count) {
  const Interval range{spans.front().begin, spans.back().end};
  RealmSet set;
  set.alignment = realm_alignment(facts, range.length(), std::max<int64_t>(1, count));
  // Whole units of the alignment are dealt out, so a realm never has less than one and borders are never
  // unaligned.
  const int64_t first_unit = floor_divide(range.begin, set.alignment);
  const int64_t units = ceil_divide(range.end, set.alignment) - first_unit;
  const std::vector<Aggregator> aggregators = pick_aggregators(facts, std::min(count, units));
  const auto border = [&](size_t i) {
    const __int128 unit = first_unit + static_cast<__int128>(units) * i / aggregators.size();
    return static_cast<int64_t>(std::clamp<__int128>(unit * set.alignment, range.begin, range.end));
  };
  size_t next = 0;
  for (size_t i = 0; i < aggregators.size(); ++i) {
    Realm realm{aggregators[i].rank, aggregators[i].node, clip(spans, {border(i), border(i + 1)}, next), 0};
    realm.bytes = total_bytes(realm.spans);
    if (realm.bytes > 0) set.realms.push_back(std::move(realm));
  }
  return set;
}

}  // namespace concilio
