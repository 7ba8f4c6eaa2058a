// Properties that the plan of any call must have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/checked.h"
#include "pattern/coverage_map.h"
#include "plan/facts/spans.h"
#include "plan/layout/exchange.h"
#include "plan/layout/footprint.h"
#include "plan/layout/realms.h"
#include "plan/layout/windows.h"
#include "plan/plan.h"
#include "plan/show/explain.h"
#include "unit/plan_facts.h"

namespace concilio::plan::plan_random_test {
namespace {

using test::NodeData;
using test::RandomCall;
using Intervals = std::vector<pattern::Interval>;

std::span<const Realm> realms_of_group(const Plan& plan, const Group& group) {
  return {plan.realms.begin() + group.first_realm, plan.realms.begin() + group.end_realm};
}

bool owns(const Realm& realm, int64_t offset) {
  const int64_t position = realm.owned.data_before(offset);
  if (realm.owned.data_before(offset + 1) == position) return false;
  return std::any_of(realm.positions.begin(), realm.positions.end(), [&](const pattern::Interval& stretch) {
    return stretch.begin <= position && position < stretch.end;
  });
}

// Every node that has data is in one group, which covers them. Groups are disjoint.
void expect_groups(const RandomCall& call, const Plan& plan) {
  Intervals all;
  for (size_t g = 0; g < plan.groups.size(); ++g) {
    const Group& group = plan.groups[g];
    ASSERT_EQ(united(group.spans), group.spans);
    all.insert(all.end(), group.spans.begin(), group.spans.end());
    for (const int node : group.nodes) ASSERT_EQ(plan.group_of_node[static_cast<size_t>(node)], g);
    ASSERT_EQ(group.first_realm, g == 0 ? 0 : plan.groups[g - 1].end_realm);
    ASSERT_GT(group.end_realm, group.first_realm);
  }
  ASSERT_EQ(plan.groups.back().end_realm, plan.realms.size());
  ASSERT_EQ(total_bytes(united(all)), total_bytes(all)) << "groups overlap";
  for (size_t node = 0; node < call.data.size(); ++node) {
    if (call.data[node].empty()) continue;
    const int group = plan.group_of_node[node];
    ASSERT_GE(group, 0) << "node " << node;
    ASSERT_EQ(intersection(call.data[node], plan.groups[static_cast<size_t>(group)].spans), call.data[node])
        << "node " << node << " asks for bytes outside its group";
  }
}

// Each byte of a group is in exactly one of its realms.
void expect_partition(const Plan& plan, const Group& group, std::mt19937_64& random) {
  int64_t bytes = 0;
  Intervals all;
  bool holes = false;
  for (const Realm& realm : realms_of_group(plan, group)) {
    ASSERT_GT(realm.bytes, 0);
    ASSERT_EQ(realm.bytes, total_bytes(realm.positions));
    bytes += realm.bytes;
    const bool whole = realm.owned.is_contiguous() && realm.owned.displacement() == 0;
    holes = holes || !whole;
    all.insert(all.end(), realm.positions.begin(), realm.positions.end());
  }
  ASSERT_EQ(bytes, total_bytes(group.spans));
  if (!holes) {
    std::sort(all.begin(), all.end(),
              [](pattern::Interval a, pattern::Interval b) { return a.begin < b.begin; });
    ASSERT_TRUE(std::is_sorted(all.begin(), all.end(),
                               [](pattern::Interval a, pattern::Interval b) { return a.end <= b.begin; }));
    ASSERT_EQ(united(all), group.spans);
    return;
  }
  for (int i = 0; i < 20; ++i) {
    const pattern::Interval& span = group.spans[random() % group.spans.size()];
    const uint64_t into = random() % static_cast<uint64_t>(span.length());
    const int64_t offset = i == 0   ? span.begin
                           : i == 1 ? span.end - 1
                                    : span.begin + static_cast<int64_t>(into);
    int owners = 0;
    for (const Realm& realm : realms_of_group(plan, group)) owners += owns(realm, offset);
    ASSERT_EQ(owners, 1) << "of byte " << offset;
  }
}

void expect_aggregators(const Facts& facts, const Plan& plan) {
  std::set<int> ranks;
  std::map<int, int64_t> of_node;
  for (const Realm& realm : plan.realms) {
    const NodeFacts& node = facts.nodes[static_cast<size_t>(realm.node)];
    ASSERT_TRUE(ranks.insert(realm.aggregator).second) << "rank " << realm.aggregator << " twice";
    ASSERT_THAT(node.candidates, ::testing::Contains(realm.aggregator));
    ASSERT_EQ(plan.group_of_node[static_cast<size_t>(realm.node)], realm.group);
    ++of_node[realm.node];
  }
  const Wishes& wishes = facts.wishes;
  for (const auto& [node, count] : of_node) {
    const auto group = static_cast<size_t>(plan.group_of_node[static_cast<size_t>(node)]);
    const bool alone = plan.groups[group].nodes.size() == 1;
    if (wishes.aggregators_per_node > 0) {
      ASSERT_LE(count, wishes.aggregators_per_node) << "node " << node;
    } else if (wishes.aggregators == 0) {
      ASSERT_LE(count, alone ? 4 : 1) << "node " << node;
    }
  }
  if (wishes.aggregators > 0) {
    ASSERT_LE(static_cast<int64_t>(plan.realms.size()), wishes.aggregators);
  }
}

void expect_budget(const Facts& facts, const Plan& plan) {
  int64_t peak = 0;
  for (size_t i = 0; i < facts.nodes.size(); ++i) {
    const NodeFacts& node = facts.nodes[i];
    const NodeLimit limit = node_limit(facts, node);
    ASSERT_LE(node_bytes(plan, static_cast<int>(i)), limit.node_bytes) << "node " << i;
    if (plan.group_of_node[i] < 0) continue;
    const Group& group = plan.groups[static_cast<size_t>(plan.group_of_node[i])];
    const int64_t share = ceil_divide(segment_bytes(plan, group, static_cast<int>(i)), node.ranks);
    // A rank that does not aggregate may tell others, or relay.
    const bool told = plan.exchange == ExchangeStrategy::descriptions && group.nodes.size() > 1;
    int64_t staging = told ? plan.told_bytes : 0;
    const std::map<int, int64_t> letters = letters_of(plan, group);
    const auto of_leader = letters.find(static_cast<int>(i));
    for (const Realm& realm : realms_of_group(plan, group)) {
      if (realm.node == static_cast<int>(i)) staging = std::max(staging, staging_bytes(plan, group, realm));
    }
    if (of_leader != letters.end()) staging += of_leader->second;
    ASSERT_LE(share + staging, limit.rank_bytes) << "node " << i;
    peak = std::max(peak, share + staging);
  }
  ASSERT_EQ(plan.peak_bytes, peak);
}

void expect_sums(const Plan& plan) {
  int64_t rounds = 0, segment = 0, window = 0;
  for (const Group& group : plan.groups) {
    int64_t of_group = 0;
    std::map<int, int64_t> segments;  // by node
    for (const int node : group.nodes) {
      if (plan.exchange == ExchangeStrategy::descriptions && group.nodes.size() > 1)
        segments[node] = arenas_bytes(plan.parcel_bytes[static_cast<size_t>(node)], plan.combined_nodes > 1);
      for (const Realm& realm : realms_of_group(plan, group)) {
        if (plan.exchange == ExchangeStrategy::descriptions && realm.node != node) continue;
        segments[node] += slots_bytes(realm.slots, realm.image_bytes);
      }
      ASSERT_EQ(segment_bytes(plan, group, node), segments[node]);
    }
    int64_t its_segment = 0;
    for (const auto& [node, bytes] : segments) its_segment = std::max(its_segment, bytes);
    for (const Realm& realm : realms_of_group(plan, group)) {
      ASSERT_GT(realm.window_bytes, 0);
      ASSERT_LE(realm.image_bytes, INT32_MAX);
      of_group = std::max(of_group, rounds_of(realm));
      window = std::max(window, realm.window_bytes);
    }
    ASSERT_EQ(group.rounds, of_group);
    ASSERT_EQ(group.segment_bytes, its_segment);
    rounds = std::max(rounds, of_group);
    segment = std::max(segment, its_segment);
  }
  ASSERT_EQ(plan.rounds, rounds);
  ASSERT_EQ(plan.segment_bytes, segment);
  ASSERT_EQ(plan.window_bytes, window);
}

// The coverage maps of the parts follow each other in each image (exec/windows/images.h): those of the
// first window, of one in the middle and of the last.
void expect_maps_have_room(const Plan& plan) {
  for (const Realm& realm : plan.realms) {
    const int64_t rounds = rounds_of(realm);
    for (const int64_t round : {int64_t{0}, rounds / 2, rounds - 1}) {
      int64_t bytes = 0;
      for (const pattern::Interval& part : window(realm, round))
        bytes += pattern::CoverageMap::bytes_needed(part.length(), plan.granule.granule);
      ASSERT_LE(bytes, realm.map_bytes);
    }
  }
}

void expect_good(const RandomCall& call, const Plan& plan, std::mt19937_64& random) {
  ASSERT_EQ(plan.method, Method::two_phase);
  ASSERT_FALSE(plan.realms.empty());
  ASSERT_NO_FATAL_FAILURE(expect_groups(call, plan));
  for (const Group& group : plan.groups) ASSERT_NO_FATAL_FAILURE(expect_partition(plan, group, random));
  ASSERT_NO_FATAL_FAILURE(expect_aggregators(call.facts, plan));
  ASSERT_NO_FATAL_FAILURE(expect_sums(plan));
  ASSERT_NO_FATAL_FAILURE(expect_maps_have_room(plan));
}

std::string about(int i, const Facts& facts) {
  return "call " + std::to_string(i) + ": " + explain_text(facts, plan(facts));
}

TEST(AnyCall, GivesAPlanThatCoversNeverOverlapsAndStaysWithinGroupsLimitsAndBudget) {
  std::mt19937_64 random(71);
  std::map<RealmPolicy, int> policies;
  int several_groups = 0, several_realms = 0;
  for (int i = 0; i < test::cases(100000); ++i) {
    const RandomCall call = test::random_call(random);
    const Plan made = plan(call.facts);
    expect_good(call, made, random);
    expect_budget(call.facts, made);
    ASSERT_FALSE(HasFatalFailure()) << about(i, call.facts);
    ++policies[made.policy];
    several_groups += made.groups.size() > 1;
    several_realms += made.realms.size() > 1;
  }
  // If no user's realms are given, the policy even is used.
  EXPECT_EQ(policies.size(), realm_policy_rows().size() - 1);
  EXPECT_GT(several_groups, test::cases(10000));
  EXPECT_GT(several_realms, test::cases(30000));
}

// The rank that a byte goes through, or -1.
int owner(const FixedRealms& fixed, int64_t offset) {
  int rank = -1, owners = 0;
  for (size_t i = 0; i < fixed.owned.size(); ++i) {
    if (fixed.owned[i].data_before(offset + 1) == fixed.owned[i].data_before(offset)) continue;
    rank = fixed.aggregators[i].rank;
    ++owners;
  }
  return owners == 1 ? rank : -1;
}

TEST(LaterCall, KeepsTheRealmsOfTheFile) {
  std::mt19937_64 random(72);
  for (int i = 0; i < test::cases(10000); ++i) {
    RandomCall call = test::random_call(random);
    Facts& facts = call.facts;
    facts.wishes.realms = random() % 2 ? RealmPolicy::persistent : RealmPolicy::cyclic;
    // Descriptions that are sent beforehand, or are too long for that.
    const auto description_bytes = [&] {
      return static_cast<int64_t>(random() % (2 * short_description_bytes));
    };
    facts.digest.description_bytes = description_bytes();
    const Plan first = plan(facts);
    ASSERT_TRUE(first.fixed) << about(i, facts);
    ASSERT_EQ(first.fixed->policy, facts.wishes.realms);
    // Another call of the same open, with other bytes, which reads or writes.
    RandomCall other = test::random_call(random);
    call.data = test::random_data(random, static_cast<int64_t>(facts.nodes.size()));
    test::gather(facts, call.data);
    if (facts.nodes.size() == 1) facts.nodes[0].spans.clear();
    facts.operation = other.facts.operation;
    facts.fixed = first.fixed;
    facts.digest.description_bytes = description_bytes();
    const Plan second = plan(facts);
    expect_good(call, second, random);
    expect_budget(facts, second);
    ASSERT_FALSE(HasFatalFailure()) << about(i, facts);
    ASSERT_TRUE(second.fixed);
    ASSERT_EQ(second.fixed->owned.size(), first.fixed->owned.size()) << about(i, facts);
    for (int n = 0; n < 10; ++n) {
      const auto offset = static_cast<int64_t>(random() >> (2 + random() % 60));
      const int rank = owner(*first.fixed, offset);
      ASSERT_GE(rank, 0) << offset << about(i, facts);
      ASSERT_EQ(owner(*second.fixed, offset), rank) << offset << about(i, facts);
      for (const Realm& realm : second.realms) {
        if (owns(realm, offset)) {
          ASSERT_EQ(realm.aggregator, rank) << offset << about(i, facts);
        }
      }
    }
  }
}

// The number of realms that stay with a file does not depend on the length of the first call's descriptions.
TEST(LaterCall, FindsAsManyRealmsWhateverTheFirstCallDescribed) {
  Facts facts = test::interleaved(Operation::write, 64, 64, 4 << 20);
  facts.nodes = test::make_nodes(8, 8);
  facts.wishes.realms = RealmPolicy::persistent;
  facts.wishes.aggregators = 8;
  facts.wishes.memory_limit_bytes = 1 << 20;
  facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
  for (const int64_t bytes : {int64_t{100}, short_description_bytes, int64_t{1} << 40}) {
    facts.digest.description_bytes = bytes;
    EXPECT_EQ(plan(facts).realms.size(), 8u) << bytes;
  }
}

// Poor nodes keep the realms of a first call with short descriptions. A later one's take so much more that
// each node has room for fewer of three aggregators.
TEST(LaterCall, HasRoomForTheRealmsWhateverItDescribes) {
  Facts facts = test::interleaved(Operation::write, 8, 64, 4 << 20);
  facts.nodes = test::make_nodes(2, 4);
  for (NodeFacts& node : facts.nodes) node.free_bytes = 2 * node.ranks * memory_floor_bytes;
  facts.digest.granule = 1;
  facts.wishes.memory_limit_bytes = 2 * memory_floor_bytes;
  facts.wishes.realms = RealmPolicy::cyclic;
  facts.wishes.aggregators_per_node = 3;
  facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
  const Plan first = plan(facts);
  ASSERT_GT(first.realms.size(), 1u);
  facts.fixed = first.fixed;
  facts.digest.description_bytes = 4000;
  const Plan later = plan(facts);
  EXPECT_EQ(later.exchange, ExchangeStrategy::descriptions);
  EXPECT_EQ(later.realms.size(), first.realms.size());
  EXPECT_EQ(later.warning, "");
}

// Realms of the file stay, even if a host has less memory than when they were fixed, because a byte must
// always go through the same aggregator. The windows are then the smallest possible, and the plan says so.
TEST(LaterCall, WithLessMemoryKeepsTheRealmsInTheSmallestWindows) {
  Facts facts = test::interleaved(Operation::write, 64, 64, 4 << 20);
  facts.nodes = test::make_nodes(8, 8);
  facts.wishes.realms = RealmPolicy::persistent;
  facts.wishes.aggregators = 64;
  facts.wishes.exchange = ExchangeWish::images;
  facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
  const Plan first = plan(facts);
  ASSERT_EQ(first.realms.size(), 64u);
  ASSERT_TRUE(first.warning.empty());
  facts.fixed = first.fixed;
  facts.wishes.memory_limit_bytes = memory_floor_bytes;
  const Plan later = plan(facts);
  EXPECT_EQ(later.realms.size(), 64u);
  EXPECT_EQ(later.window_bytes, 4096);
  EXPECT_GT(later.peak_bytes, memory_floor_bytes);
  EXPECT_THAT(later.warning, ::testing::HasSubstr("fixed"));
}

}  // namespace
}  // namespace concilio::plan::plan_random_test
