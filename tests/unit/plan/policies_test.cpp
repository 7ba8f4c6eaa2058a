// The realms that each policy makes for a call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "plan/facts/spans.h"
#include "plan/layout/realms.h"
#include "plan/layout/realms/tree.h"
#include "plan/plan.h"
#include "unit/plan_facts.h"

namespace concilio::plan::policies_test {
namespace {

using ::testing::ElementsAre;
using Intervals = std::vector<pattern::Interval>;

constexpr int64_t KiB = 1 << 10, MiB = 1 << 20;

Facts range(int64_t first, int64_t end, int nodes = 4, int ranks_per_node = 2) {
  Facts facts = test::contiguous(Operation::write, nodes * ranks_per_node);
  facts.nodes = test::make_nodes(nodes, ranks_per_node);
  facts.digest.first = first;
  facts.digest.end = end;
  facts.digest.bytes = end - first;
  facts.wishes.placement = Placement::first;
  facts.wishes.aggregators = nodes * ranks_per_node;
  return facts;
}

Group all_nodes(const Facts& facts, Intervals spans) {
  Group group;
  for (size_t node = 0; node < facts.nodes.size(); ++node) group.nodes.push_back(static_cast<int>(node));
  group.spans = std::move(spans);
  return group;
}

std::vector<Realm> realms(Facts facts, RealmPolicy policy, int64_t count, Intervals spans = {}) {
  facts.wishes.realms = policy;
  if (spans.empty()) spans = file_spans(facts);
  std::shared_ptr<const FixedRealms> fixed;
  return realms_of(facts, all_nodes(facts, std::move(spans)), count, fixed);
}

bool owns(const Realm& realm, int64_t offset) {
  return realm.owned.data_before(offset + 1) > realm.owned.data_before(offset);
}

// The index of the realm that owns a byte; -1 if there is none, or more than one.
int owner(const std::vector<Realm>& set, int64_t offset) {
  int found = -1, owners = 0;
  for (size_t i = 0; i < set.size(); ++i) {
    if (!owns(set[i], offset)) continue;
    found = static_cast<int>(i);
    ++owners;
  }
  return owners == 1 ? found : -1;
}

std::vector<int> owners(const std::vector<Realm>& set, int64_t step, int64_t count) {
  std::vector<int> out;
  for (int64_t i = 0; i < count; ++i) out.push_back(owner(set, i * step));
  return out;
}

Intervals stretches(const std::vector<Realm>& set) {
  Intervals out;
  for (const Realm& realm : set) out.push_back({realm.positions.front().begin, realm.positions.back().end});
  return out;
}

TEST(PersistentRealms, AreAnchoredAtByteZeroInBlocksFromTheFirstCallsEnd) {
  const std::vector<Realm> set = realms(range(6 * MiB, 16 * MiB), RealmPolicy::persistent, 4);
  // 16 MiB for four realms. The first of them has none of the call's bytes.
  ASSERT_EQ(set.size(), 3u);
  EXPECT_EQ(owners(set, 2 * MiB, 10), (std::vector<int>{-1, -1, 0, 0, 1, 1, 2, 2, -1, -1}));
  EXPECT_EQ(set[0].bytes, 2 * MiB);
  EXPECT_EQ(set[1].bytes, 4 * MiB);
  EXPECT_EQ(set[0].piece_bytes, 4 * MiB);
  EXPECT_EQ(set[0].alignment, 4096);
}

TEST(PersistentRealms, BlocksAreAlignedAndNeverTiny) {
  struct Row {
    const char* situation;
    int64_t end, stripe_bytes, wished_bytes, block_bytes;
  };
  const Row rows[] = {
      {"a header", 1000, 0, 0, MiB},
      {"whole blocks of the file system", 4 * 3 * MiB + 1, 0, 0, 3 * MiB + 4096},
      {"whole stripes", 4 * 3 * MiB, 2 * MiB, 0, 4 * MiB},
      {"as wished", 4 * 3 * MiB, 2 * MiB, 12345, 12345},
  };
  for (const Row& row : rows) {
    Facts facts = range(0, row.end);
    facts.storage.stripe_bytes = row.stripe_bytes;
    facts.wishes.realm_block_bytes = row.wished_bytes;
    EXPECT_EQ(realms(facts, RealmPolicy::persistent, 4).front().piece_bytes, row.block_bytes)
        << row.situation;
  }
}

TEST(PersistentRealms, AlignmentBeyondAllOffsetsLeavesWholeBlocks) {
  Facts facts = range(0, 64 * MiB);
  facts.wishes.alignment_bytes = INT64_MAX;
  const std::vector<Realm> set = realms(facts, RealmPolicy::persistent, 4);
  EXPECT_EQ(set.size(), 4u);
  EXPECT_EQ(set.front().piece_bytes, 16 * MiB);
}

TEST(PersistentRealms, OneOwnsTheWholeFile) {
  const std::vector<Realm> set = realms(range(5, 10), RealmPolicy::persistent, 1);
  ASSERT_EQ(set.size(), 1u);
  EXPECT_EQ(set[0].piece_bytes, 0);
  EXPECT_EQ(set[0].positions, (Intervals{{5, 10}}));
}

TEST(CyclicRealms, BlocksAreDealtRoundRobin) {
  Facts facts = range(0, 100 * MiB);
  facts.wishes.realm_block_bytes = 1000;
  EXPECT_EQ(owners(realms(facts, RealmPolicy::cyclic, 3), 500, 9),
            (std::vector<int>{0, 0, 1, 1, 2, 2, 0, 0, 1}));
  facts.wishes.realm_block_bytes = 0;
  EXPECT_EQ(owners(realms(facts, RealmPolicy::cyclic, 3), MiB, 5), (std::vector<int>{0, 1, 2, 0, 1}));
}

TEST(CyclicRealms, TargetIsServedByAsFewAggregatorsAsCanBe) {
  constexpr int64_t stripe = 64 * KiB;
  for (const int64_t targets : {2, 3, 4, 7}) {
    for (int64_t aggregators = 1; aggregators <= 16; ++aggregators) {
      Facts facts = range(0, 64 * MiB, 4, 4);
      facts.storage.stripe_bytes = stripe;
      facts.storage.stripe_targets = targets;
      const std::vector<Realm> set = realms(facts, RealmPolicy::cyclic, aggregators);
      const std::string row = std::to_string(aggregators) + " for " + std::to_string(targets);
      ASSERT_EQ(static_cast<int64_t>(set.size()),
                aggregators <= targets ? aggregators : aggregators / targets * targets)
          << row;
      std::map<int64_t, std::set<int>> of_target;
      for (int64_t i = 0; i < 1024; ++i) {
        const int one = owner(set, i * stripe);
        ASSERT_GE(one, 0) << row;
        ASSERT_EQ(owner(set, (i + 1) * stripe - 1), one) << row;
        of_target[i % targets].insert(one);
      }
      for (const auto& [target, its] : of_target)
        EXPECT_EQ(static_cast<int64_t>(its.size()), std::max<int64_t>(1, aggregators / targets)) << row;
    }
  }
}

TEST(CyclicRealms, StripesTooLargeToCountStillMakeRealms) {
  Facts facts = range(0, 64 * MiB);
  facts.storage.stripe_bytes = INT64_MAX / 2;
  facts.storage.stripe_targets = 4;
  EXPECT_FALSE(realms(facts, RealmPolicy::cyclic, 3).empty());
}

// The bytes of a histogram at these positions, if each bucket's bytes are spread evenly.
double data_in(const Facts& facts, const Intervals& positions) {
  double bytes = 0;
  for (const Bucket& bucket : facts.buckets) {
    if (bucket.bytes <= 0) continue;
    const pattern::Interval tight{bucket.first, bucket.end};
    const auto part = total_bytes(intersection(std::span(&tight, 1), positions));
    bytes +=
        static_cast<double>(bucket.bytes) * static_cast<double>(part) / static_cast<double>(tight.length());
  }
  return bytes;
}

double most_data(const Facts& facts, const std::vector<Realm>& set) {
  double most = 0;
  for (const Realm& realm : set) most = std::max(most, data_in(facts, realm.positions));
  return most;
}

TEST(BalancedRealms, HaveEqualDataOfClusters) {
  std::mt19937_64 random(51);
  for (int i = 0; i < 500; ++i) {
    Facts facts = range(0, 1024 * MiB);
    facts.wishes.alignment_bytes = 1;
    facts.buckets.resize(bucket_count);
    double bytes = 0, largest = 0;
    // The data are in a few dense buckets, with a little at both ends.
    for (int b = 0; b < bucket_count; ++b) {
      if (b != 0 && b != bucket_count - 1 && random() % 10 != 0) continue;
      const int64_t begin = bucket_border(0, 1024 * MiB, b), end = bucket_border(0, 1024 * MiB, b + 1);
      const auto in_bucket = static_cast<int64_t>(4096 + random() % (4 * MiB));
      facts.buckets[static_cast<size_t>(b)] = {begin, end, in_bucket};
      bytes += static_cast<double>(in_bucket);
      largest = std::max(largest, static_cast<double>(in_bucket));
    }
    const int64_t count = 2 + static_cast<int64_t>(random() % 6);
    const std::vector<Realm> balanced = realms(facts, RealmPolicy::balanced, count);
    const double share = bytes / static_cast<double>(count);
    ASSERT_EQ(static_cast<int64_t>(balanced.size()), count) << i;
    for (const Realm& realm : balanced) ASSERT_NEAR(data_in(facts, realm.positions), share, largest) << i;
    ASSERT_LE(most_data(facts, balanced), most_data(facts, realms(facts, RealmPolicy::even, count)) * 1.001)
        << i;
  }
}

TEST(BalancedRealms, OneClusterGoesToAllAggregators) {
  Facts facts = range(0, 1024 * MiB);
  facts.buckets.resize(bucket_count);
  facts.buckets[0] = {0, 4 * MiB, 4 * MiB};
  facts.buckets[255] = {1024 * MiB - 4096, 1024 * MiB, 4096};
  const double even = most_data(facts, realms(facts, RealmPolicy::even, 4));
  const double balanced = most_data(facts, realms(facts, RealmPolicy::balanced, 4));
  EXPECT_EQ(even, 4.0 * MiB);
  EXPECT_LT(balanced, 1.1 * MiB);
}

TEST(BalancedRealms, WithoutAHistogramAreEven) {
  const Facts facts = range(100, 9 * MiB);
  EXPECT_EQ(stretches(realms(facts, RealmPolicy::balanced, 4)),
            stretches(realms(facts, RealmPolicy::even, 4)));
}

TEST(AlignedRealms, HaveAllInnerBordersAtMultiplesOfTheUnit) {
  for (const int64_t unit : {1, 1000, 4096, 65536, 1 << 20, 3 << 20}) {
    for (const int64_t first : {0, 1, 5000, 777777}) {
      for (const int64_t length : {1, 4096, 100000, 10 << 20}) {
        for (int64_t count = 1; count <= 8; ++count) {
          Facts facts = range(first, first + length);
          facts.wishes.alignment_bytes = unit;
          const std::vector<Realm> set = realms(facts, RealmPolicy::aligned, count);
          int64_t at = first;
          for (const Realm& realm : set) {
            const pattern::Interval part{realm.positions.front().begin, realm.positions.back().end};
            ASSERT_EQ(part.begin, at);
            ASSERT_TRUE(at == first || at % unit == 0) << at << " of " << unit;
            at = part.end;
          }
          ASSERT_EQ(at, first + length);
          // The number of realms is that of the units, but at most what was asked for.
          const int64_t units = (first + length - 1) / unit - first / unit + 1;
          ASSERT_EQ(static_cast<int64_t>(set.size()), std::min(count, units));
        }
      }
    }
  }
}

TEST(AlignedRealms, SmallOnesAreAlignedWhereEvenOnesAreNot) {
  const Facts facts = range(0, 20000);
  EXPECT_EQ(stretches(realms(facts, RealmPolicy::even, 2)), (Intervals{{0, 10000}, {10000, 20000}}));
  EXPECT_EQ(stretches(realms(facts, RealmPolicy::aligned, 2)), (Intervals{{0, 8192}, {8192, 20000}}));
}

TEST(EvenRealms, TakeNoNoticeOfWhereDataLie) {
  Facts facts = range(0, 1024 * MiB);
  const Intervals whole{{0, 1024 * MiB}};
  const Intervals plain = stretches(realms(facts, RealmPolicy::even, 4, whole));
  facts.buckets.resize(bucket_count);
  facts.buckets[7] = {28 * MiB, 30 * MiB, MiB};
  EXPECT_EQ(stretches(realms(facts, RealmPolicy::even, 4, whole)), plain);
  EXPECT_EQ(plain.front(), (pattern::Interval{0, 256 * MiB}));
}

// Bytes below 1 MiB, and all bytes beyond it.
std::shared_ptr<FixedRealms> head_and_rest() {
  auto given = std::make_shared<FixedRealms>();
  given->policy = RealmPolicy::user;
  given->piece_bytes = MiB;
  given->owned = {pattern::Access(pattern::Nest::bytes(MiB), 0, int64_t{1} << 62),
                  pattern::Access::contiguous(MiB)};
  return given;
}

TEST(GivenRealms, OneThatOwnsAllBehindAnOffsetHasItsBytes) {
  Facts facts = range(1000, 3 * MiB);
  facts.given = head_and_rest();
  const std::vector<Realm> set = realms(facts, RealmPolicy::user, 2);
  ASSERT_EQ(set.size(), 2u);
  EXPECT_EQ(set[0].bytes, MiB - 1000);
  EXPECT_EQ(set[1].bytes, 2 * MiB);
  EXPECT_EQ(set[1].positions, (Intervals{{0, 2 * MiB}}));
}

TEST(GivenRealms, MoreThanRanksThatMayAggregateGiveWayToEvenOnes) {
  Facts facts = range(0, 64 * MiB, 1, 1);
  facts.given = head_and_rest();
  facts.wishes.realms = RealmPolicy::user;
  facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
  const Plan made = plan(facts);
  ASSERT_EQ(made.realms.size(), 1u);
  EXPECT_EQ(made.realms[0].bytes, 64 * MiB);
  EXPECT_FALSE(made.fixed);
}

TEST(GivenRealms, AnotherPolicyAskedForDividesAnewAndIsKept) {
  Facts facts = range(0, 64 * MiB);
  facts.given = head_and_rest();
  facts.wishes.realms = RealmPolicy::persistent;
  facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
  const Plan first = plan(facts);
  ASSERT_TRUE(first.fixed);
  EXPECT_EQ(first.fixed->policy, RealmPolicy::persistent);
  facts.fixed = first.fixed;
  facts.digest.end = 640 * MiB;
  EXPECT_EQ(plan(facts).realms.front().piece_bytes, first.realms.front().piece_bytes);
}

// One rank of each node may aggregate. Each node has a mebibyte of the file, and at least 10 MiB of memory
// are needed.
Facts short_of_memory(const std::vector<int64_t>& free_mib) {
  const auto nodes = static_cast<int64_t>(free_mib.size());
  Facts facts = range(0, nodes * MiB, static_cast<int>(nodes), 2);
  test::gather(facts, test::data_laid_out(test::Layout::serial, nodes, 0, MiB, 1));
  for (size_t node = 0; node < free_mib.size(); ++node) facts.nodes[node].free_bytes = free_mib[node] * MiB;
  facts.wishes = {};
  facts.wishes.realms = RealmPolicy::tree;
  facts.wishes.aggregators_per_node = 1;
  facts.wishes.memory_min_bytes = 10 * MiB;
  facts.wishes.domain_bytes = MiB;
  return facts;
}

struct Placed {
  double end_mib;
  int node;
  bool operator==(const Placed& other) const {
    return std::abs(end_mib - other.end_mib) < 0.01 && node == other.node;
  }
};
void PrintTo(const Placed& placed, std::ostream* out) {
  *out << "up to " << placed.end_mib << " on node " << placed.node;
}

std::vector<Placed> realms_by_tree(const Facts& facts) {
  const Group group = all_nodes(facts, file_spans(facts));
  std::shared_ptr<const FixedRealms> fixed;
  std::vector<Placed> out;
  for (const Realm& realm : realms_of(facts, group, wanted_realms(facts, group), fixed))
    out.push_back({static_cast<double>(realm.positions.back().end) / MiB, realm.node});
  return out;
}

TEST(TreeRealms, AreRemergedWhereHostsAreShortOfMemory) {
  struct Row {
    const char* situation;
    std::vector<int64_t> free_mib;
    std::vector<Placed> realms;
  };
  const Row rows[] = {
      {"all have enough", {50, 50, 50, 50}, {{1, 0}, {2, 1}, {3, 2}, {4, 3}}},
      {"one has not: thirds, each on the richest with data there",
       {50, 5, 50, 50},
       {{4. / 3, 0}, {8. / 3, 2}, {4, 3}}},
      {"only one has: all on it", {5, 5, 5, 50}, {{4, 3}}},
      {"two on the right have not: of four portions the second's host takes over theirs",
       {50, 60, 5, 5},
       {{1, 0}, {4, 1}}},
      {"two on the left have not", {5, 5, 50, 60}, {{2.4, 2}, {4, 3}}},
      {"nobody has enough: memory is no criterion", {5, 7, 6, 5}, {{1, 0}, {2, 1}, {3, 2}, {4, 3}}},
      {"nobody has any", {0, 0, 0}, {{1, 0}, {2, 1}, {3, 2}}},
      {"three in the middle of eight have not",
       {50, 50, 50, 5, 5, 5, 50, 50},
       {{8. / 7, 0}, {16. / 7, 1}, {32. / 7, 2}, {48. / 7, 6}, {8, 7}}},
  };
  for (const Row& row : rows)
    EXPECT_EQ(realms_by_tree(short_of_memory(row.free_mib)), row.realms) << row.situation;
}

TEST(TreeRealms, LeafThatNobodyServesLeavesTheTree) {
  const Facts facts = short_of_memory({50, 60, 5, 5});
  const Group group = all_nodes(facts, file_spans(facts));
  Hosts hosts = hosts_of(facts, group);
  const Remerged merged = partition({facts, group, 2}, hosts);
  EXPECT_EQ(merged.taken_over, 2);
  EXPECT_EQ(merged.before.leaves().size(), 4u);
  const std::vector<int> leaves = merged.after.leaves();
  ASSERT_EQ(leaves.size(), 2u);
  EXPECT_EQ(merged.after.vertex(leaves[0]).aggregator, 0);
  EXPECT_EQ(merged.after.vertex(leaves[1]).aggregator, 2);
}

TEST(TreeRealms, EveryLeafHasAnAggregatorWithEnoughMemoryUnlessNobodyHas) {
  std::mt19937_64 random(52);
  for (int i = 0; i < test::cases(3000, 4); ++i) {
    std::vector<int64_t> free_mib(1 + random() % 12);
    for (int64_t& free : free_mib) free = static_cast<int64_t>(random() % 30);
    Facts facts = short_of_memory(free_mib);
    facts.wishes.aggregators_per_node = 1 + static_cast<int64_t>(random() % 2);
    const Group group = all_nodes(facts, file_spans(facts));
    Hosts hosts = hosts_of(facts, group);
    const int64_t wanted = 1 + static_cast<int64_t>(random() % 12);
    const Remerged merged = partition({facts, group, wanted}, hosts);
    const auto leaves = merged.after.leaves();
    ASSERT_EQ(static_cast<int64_t>(merged.before.leaves().size() - leaves.size()), merged.taken_over) << i;
    std::map<int, std::set<int>> taken;  // aggregators
    std::set<int> aggregators;
    for (const int leaf : leaves) {
      const auto& its = merged.after.vertex(leaf);
      ASSERT_NE(its.aggregator, PartitionTree::none) << i;
      taken[its.node].insert(its.aggregator);
      aggregators.insert(its.aggregator);
    }
    ASSERT_LE(std::ssize(aggregators), wanted) << i;
    for (const auto& [node, of_node] : taken) {
      const int64_t count = std::ssize(of_node);
      ASSERT_LE(count, facts.wishes.aggregators_per_node) << i;
      const bool enough = free_mib[static_cast<size_t>(node)] >= 10 * count;
      const bool nobody = std::all_of(free_mib.begin(), free_mib.end(), [](int64_t mib) { return mib < 10; });
      ASSERT_TRUE(enough || nobody) << i;
    }
  }
}

TEST(TreeRealms, AreNotRemergedWhereMemoryDoesNotDecide) {
  for (const Placement placement : {Placement::spread, Placement::first}) {
    Facts facts = short_of_memory({5, 50, 5, 5});
    facts.wishes.placement = placement;
    EXPECT_EQ(realms_by_tree(facts), (std::vector<Placed>{{1, 0}, {2, 1}, {3, 2}, {4, 3}}));
  }
}

TEST(TreeRealms, AreOfAboutTheDomainWished) {
  Facts facts = short_of_memory({50, 50, 50, 50});
  facts.wishes.domain_bytes = 2 * MiB;
  EXPECT_EQ(realms_by_tree(facts), (std::vector<Placed>{{2, 0}, {4, 2}}));
  facts.wishes.domain_bytes = 100 * MiB;
  EXPECT_EQ(realms_by_tree(facts), (std::vector<Placed>{{4, 0}}));
}

// Each node has a mebibyte in each of two variables. With portions of a mebibyte, an aggregator has one of
// each variable; with larger ones there is one for each aggregator, wherever the nodes' data lie.
TEST(TreeRealms, AreSeveralPortionsWhereTheDataOfANodeAreSeveralStretches) {
  constexpr int64_t nodes = 4;
  Facts facts = short_of_memory(std::vector<int64_t>(nodes, 50));
  facts.digest.end = 2 * nodes * MiB;
  test::gather(facts, test::data_laid_out(test::Layout::variables, nodes, 0, 2 * MiB, 2));
  const auto realms = [&] {
    const Group group = all_nodes(facts, file_spans(facts));
    std::shared_ptr<const FixedRealms> fixed;
    return realms_of(facts, group, wanted_realms(facts, group), fixed);
  };
  const std::vector<Realm> small = realms();
  ASSERT_EQ(small.size(), static_cast<size_t>(nodes));
  for (const Realm& realm : small) {
    const int64_t first = realm.node * MiB, second = (nodes + realm.node) * MiB;
    EXPECT_EQ(realm.positions, (Intervals{{first, first + MiB}, {second, second + MiB}})) << realm.node;
    EXPECT_EQ(realm.bytes, 2 * MiB);
  }
  facts.wishes.domain_bytes = 2 * MiB;
  const std::vector<Realm> large = realms();
  ASSERT_EQ(large.size(), static_cast<size_t>(nodes));
  for (const Realm& realm : large) EXPECT_EQ(realm.positions.size(), 1u);
}

// The nodes' blocks alternate, and a portion is not a whole number of turns: a little more of it belongs to
// some nodes than to others. That is not worth realms in many stretches.
TEST(TreeRealms, AreSideBySideWhereAllNodesHaveDataEverywhere) {
  constexpr int64_t nodes = 10, blocks = 128, block = 3 * MiB / 4;
  Facts facts = short_of_memory(std::vector<int64_t>(nodes, 200));
  facts.digest.end = nodes * blocks * block;
  facts.digest.bytes = facts.digest.end;
  facts.wishes.domain_bytes = 4 * MiB;
  test::gather(facts, test::data_laid_out(test::Layout::interleaved, nodes, 0, blocks * block, blocks));
  const Group group = all_nodes(facts, file_spans(facts));
  std::shared_ptr<const FixedRealms> fixed;
  const std::vector<Realm> realms = realms_of(facts, group, nodes, fixed);
  ASSERT_EQ(realms.size(), static_cast<size_t>(nodes));
  for (const Realm& realm : realms) EXPECT_EQ(realm.positions.size(), 1u) << realm.node;
}

TEST(TreeRealms, KnownHolesDoNotCount) {
  Facts facts = short_of_memory({50, 50});
  const Group group = all_nodes(facts, {{0, MiB}, {1000 * MiB, 1001 * MiB}});
  facts.nodes[1].spans = {{1000 * MiB, 1001 * MiB}};
  std::shared_ptr<const FixedRealms> fixed;
  const std::vector<Realm> set = realms_of(facts, group, 2, fixed);
  EXPECT_EQ(stretches(set), group.spans);
}

TEST(Policies, AreInTheOrderOfTheEnumeration) {
  for (const RealmPolicyRow& row : realm_policy_rows()) {
    EXPECT_EQ(&realm_policy_row(row.policy), &row);
    EXPECT_STREQ(realm_policy_name(row.policy), row.name);
  }
  EXPECT_STREQ(realm_policy_name(RealmPolicy::automatic), "auto");
}

TEST(Policies, AutomaticIsTheTreeBetweenNodesAndEvenOnOne) {
  Facts facts = range(0, MiB);
  EXPECT_EQ(chosen_policy(facts), RealmPolicy::tree);
  facts.wishes.groups = false;
  EXPECT_EQ(chosen_policy(facts), RealmPolicy::even);
  facts.given = head_and_rest();
  EXPECT_EQ(chosen_policy(facts), RealmPolicy::user);
  facts.wishes.realms = RealmPolicy::balanced;
  EXPECT_EQ(chosen_policy(facts), RealmPolicy::balanced);
  Facts alone = range(0, MiB, 1, 8);
  EXPECT_EQ(chosen_policy(alone), RealmPolicy::even);
  alone.wishes.realms = RealmPolicy::user;  // and none given
  EXPECT_EQ(chosen_policy(alone), RealmPolicy::even);
}

}  // namespace
}  // namespace concilio::plan::policies_test
