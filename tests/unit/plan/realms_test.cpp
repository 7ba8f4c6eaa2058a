#include "plan/layout/realms.h"

#include <gtest/gtest.h>

#include <set>

#include "plan/facts/spans.h"
#include "plan/layout/lay_out.h"
#include "unit/plan_facts.h"

namespace concilio::plan::realms_test {
namespace {

using test::contiguous;
using test::interleaved;
using test::make_nodes;
using test::random_facts;

constexpr int64_t KiB = 1 << 10, MiB = 1 << 20;

Facts range(int64_t first, int64_t end, int ranks = 4) {
  Facts facts = contiguous(Operation::write, ranks);
  facts.digest.first = first;
  facts.digest.end = end;
  facts.digest.bytes = end - first;
  return facts;
}

void fill_bucket(Facts& facts, int i, int64_t first, int64_t end) {
  facts.buckets.resize(bucket_count);
  facts.buckets[static_cast<size_t>(i)] = {first, end, end - first};
}

// The group of all nodes.
Group all_nodes(const Facts& facts, std::vector<pattern::Interval> spans) {
  Group group;
  for (size_t node = 0; node < facts.nodes.size(); ++node) group.nodes.push_back(static_cast<int>(node));
  group.spans = std::move(spans);
  return group;
}

// At most `count` realms of a policy in these spans.
std::vector<Realm> realms(Facts facts, RealmPolicy policy, const std::vector<pattern::Interval>& spans,
                          int64_t count) {
  facts.wishes.realms = policy;
  std::shared_ptr<const FixedRealms> fixed;
  return realms_of(facts, all_nodes(facts, spans), count, fixed);
}
std::vector<Realm> even(const Facts& facts, const std::vector<pattern::Interval>& spans, int64_t count) {
  return realms(facts, RealmPolicy::even, spans, count);
}

int64_t wanted(const Facts& facts, int64_t span_bytes) {
  Facts evenly = facts;
  evenly.wishes.realms = RealmPolicy::even;
  return wanted_realms(evenly, all_nodes(facts, {{0, span_bytes}}));
}

// The aggregators that a placement chooses for `count` realms.
std::vector<Aggregator> picked(const Facts& facts, Placement placement, size_t count) {
  const Group group = all_nodes(facts, {});
  Hosts hosts = hosts_of(facts, group);
  return placement_row(placement).place(hosts, std::vector<std::vector<pattern::Interval>>(count));
}
std::vector<Aggregator> first(const Facts& facts, size_t count) {
  return picked(facts, Placement::first, count);
}

std::vector<pattern::Interval> borders(const std::vector<Realm>& set) {
  std::vector<pattern::Interval> out;
  for (const Realm& realm : set) out.push_back({realm.positions.front().begin, realm.positions.back().end});
  return out;
}

using Intervals = std::vector<pattern::Interval>;

TEST(FileSpans, WithoutBucketsTheWholeRange) {
  EXPECT_EQ(file_spans(range(10, 5000)), (Intervals{{10, 5000}}));
}

TEST(FileSpans, CallWithoutBytesHasNone) {
  EXPECT_TRUE(file_spans(range(10, 10)).empty());
}

TEST(FileSpans, NeighboursThatTouchOrNearlyTouchAreOne) {
  Facts facts = range(0, 256 * MiB);
  fill_bucket(facts, 0, 0, MiB);
  fill_bucket(facts, 1, MiB, 2 * MiB);
  fill_bucket(facts, 2, 2 * MiB + 4095, 3 * MiB);
  fill_bucket(facts, 255, 255 * MiB + 7, 256 * MiB);
  EXPECT_EQ(file_spans(facts), (Intervals{{0, 3 * MiB}, {255 * MiB + 7, 256 * MiB}}));
}

TEST(FileSpans, NeverReachBeyondTheRange) {
  Facts facts = range(100, 90000);
  fill_bucket(facts, 0, 0, 200);
  fill_bucket(facts, 255, 80000, 95000);
  EXPECT_EQ(file_spans(facts), (Intervals{{100, 200}, {80000, 90000}}));
}

TEST(Aggregators, AsManyAsCoresOnOneNode) {
  EXPECT_EQ(wanted(interleaved(Operation::write, 8, 64), 256 * MiB), 2);
}

TEST(Aggregators, AtMostFourOnOnlyNode) {
  Facts facts = interleaved(Operation::write, 64, 64);
  facts.cores_per_node = 64;
  EXPECT_EQ(wanted(facts, 256 * MiB), 4);
}

TEST(Aggregators, OneANodeOnSeveral) {
  Facts facts = interleaved(Operation::write, 12, 64);
  facts.nodes = make_nodes(3, 4);
  EXPECT_EQ(wanted(facts, 256 * MiB), 3);
}

TEST(Aggregators, FewBytesNeedOne) {
  EXPECT_EQ(wanted(interleaved(Operation::write, 8, 64), 100 * KiB), 1);
}

TEST(Aggregators, AskedForAreTakenHoweverFewTheBytes) {
  Facts facts = interleaved(Operation::write, 8, 64);
  facts.wishes.aggregators = 5;
  EXPECT_EQ(wanted(facts, 100), 5);
  facts.wishes.aggregators = 50;
  EXPECT_EQ(wanted(facts, 100), 8);
}

TEST(Aggregators, LimitPerNodeBoundsThoseAskedFor) {
  Facts facts = interleaved(Operation::write, 8, 64);
  facts.nodes = make_nodes(2, 4);
  facts.wishes.aggregators = 8;
  facts.wishes.aggregators_per_node = 2;
  EXPECT_EQ(wanted(facts, 100 * MiB), 4);
  const std::vector<Aggregator> picked = first(facts, 3);
  ASSERT_EQ(picked.size(), 3u);
  EXPECT_EQ(picked[0].rank, 0);
  EXPECT_EQ(picked[1].rank, 1);
  EXPECT_EQ(picked[2].rank, 4);
  EXPECT_EQ(picked[2].node, 1);
}

TEST(Aggregators, NodeWithoutCandidatesHasNone) {
  Facts facts = interleaved(Operation::write, 4, 64);
  facts.nodes = make_nodes(2, 2);
  facts.nodes[0].candidates.clear();
  const std::vector<Aggregator> picked = first(facts, 4);
  ASSERT_EQ(picked.size(), 1u);
  EXPECT_EQ(picked[0].rank, 2);
}

TEST(Aggregators, RankNamedTwiceAggregatesOnce) {
  Facts facts = interleaved(Operation::write, 4, 64);
  facts.nodes[0].candidates = {3, 3, 1};
  facts.wishes.aggregators = 3;
  EXPECT_EQ(first(facts, 3).size(), 2u);
}

TEST(EvenRealms, BordersLieAtBlocksWhereRealmsAreLarge) {
  const std::vector<Realm> set = even(range(100, MiB + 100), {{100, MiB + 100}}, 2);
  EXPECT_EQ(set.front().alignment, 4096);
  EXPECT_EQ(borders(set), (Intervals{{100, 512 * KiB}, {512 * KiB, MiB + 100}}));
}

TEST(EvenRealms, SmallRealmsAreDividedToTheByte) {
  const std::vector<Realm> set = even(range(0, 90), {{0, 90}}, 2);
  EXPECT_EQ(set.front().alignment, 1);
  EXPECT_EQ(borders(set), (Intervals{{0, 45}, {45, 90}}));
}

TEST(EvenRealms, LastRealmShorterThanStripe) {
  Facts facts = range(0, 3 * MiB + 5);
  facts.wishes.aggregators = 4;
  facts.storage.stripe_bytes = MiB;
  EXPECT_EQ(borders(even(facts, {{0, 3 * MiB + 5}}, 4)),
            (Intervals{{0, MiB}, {MiB, 2 * MiB}, {2 * MiB, 3 * MiB}, {3 * MiB, 3 * MiB + 5}}));
}

TEST(EvenRealms, RangeWithinOneStripeIsOneRealm) {
  Facts facts = range(10, 500 * KiB);
  facts.storage.stripe_bytes = MiB;
  EXPECT_EQ(borders(even(facts, {{10, 500 * KiB}}, 4)), (Intervals{{10, 500 * KiB}}));
}

TEST(EvenRealms, WishedAlignmentWinsOverStripe) {
  Facts facts = range(0, 3000);
  facts.storage.stripe_bytes = MiB;
  facts.wishes.alignment_bytes = 1000;
  EXPECT_EQ(borders(even(facts, {{0, 3000}}, 2)), (Intervals{{0, 1000}, {1000, 3000}}));
}

TEST(EvenRealms, AlignmentBeyondAllOffsetsIsOneRealm) {
  Facts facts = range(0, 3000);
  facts.wishes.alignment_bytes = INT64_MAX;
  EXPECT_EQ(borders(even(facts, {{0, 3000}}, 4)), (Intervals{{0, 3000}}));
}

TEST(EvenRealms, RealmWithoutBytesIsDropped) {
  const Intervals spans{{0, 100 * KiB}, {900 * KiB, 1000 * KiB}};
  const std::vector<Realm> set = even(range(0, 1000 * KiB), spans, 4);
  EXPECT_EQ(borders(set), spans);
}

TEST(EvenRealms, SpanAcrossABorderIsCut) {
  const std::vector<Realm> set = even(range(0, MiB), {{0, 10}, {300 * KiB, 600 * KiB}, {MiB - 1, MiB}}, 2);
  ASSERT_EQ(set.size(), 2u);
  EXPECT_EQ(set[0].positions, (Intervals{{0, 10}, {300 * KiB, 512 * KiB}}));
  EXPECT_EQ(set[1].positions, (Intervals{{512 * KiB, 600 * KiB}, {MiB - 1, MiB}}));
}

TEST(EvenRealms, AreDisjointAlignedAndCoverEverySpanForAnyFacts) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 5000; ++i) {
    const Facts facts = random_facts(random);
    const Intervals spans = file_spans(facts);
    ASSERT_EQ(spans.front().begin, facts.digest.first) << i;
    ASSERT_EQ(spans.back().end, facts.digest.end) << i;
    for (const Bucket& bucket : facts.buckets) {
      if (bucket.bytes == 0) continue;
      ASSERT_TRUE(std::any_of(spans.begin(), spans.end(), [&](pattern::Interval span) {
        return span.begin <= bucket.first && bucket.end <= span.end;
      })) << i;
    }
    const std::vector<Realm> set = even(facts, spans, wanted(facts, total_bytes(spans)));
    ASSERT_FALSE(set.empty()) << i;
    Intervals joined;  // realm after realm, with touching parts joined
    std::set<int> ranks;
    for (const Realm& realm : set) {
      ASSERT_TRUE(ranks.insert(realm.aggregator).second) << i;
      const std::vector<int>& candidates = facts.nodes[static_cast<size_t>(realm.node)].candidates;
      ASSERT_NE(std::find(candidates.begin(), candidates.end(), realm.aggregator), candidates.end()) << i;
      ASSERT_EQ(realm.bytes, total_bytes(realm.positions)) << i;
      for (const pattern::Interval& span : realm.positions) {
        ASSERT_FALSE(span.empty()) << i;
        if (!joined.empty() && joined.back().end == span.begin) {
          ASSERT_EQ(span.begin % set.front().alignment, 0) << i;
          joined.back().end = span.end;
        } else {
          joined.push_back(span);
        }
      }
    }
    ASSERT_EQ(joined, spans) << i;
  }
}

}  // namespace
}  // namespace concilio::plan::realms_test
