#include "plan/choose/striped.h"

#include <gtest/gtest.h>

#include "plan/layout/layout.h"
#include "unit/plan_facts.h"

namespace concilio::plan::striped_test {
namespace {

constexpr int64_t mib = 1 << 20;

// A file of stripes of 1 MiB over some targets, each of which takes 10 ms for one.
constexpr double stripe_seconds = 0.01;

Facts facts_of(Operation operation, int nodes, int64_t targets, int64_t bytes) {
  Facts facts = test::interleaved(operation, nodes, 65536, bytes / nodes);
  facts.nodes = test::make_nodes(nodes, 1);
  facts.storage.kind = StorageFacts::Kind::parallel;
  facts.storage.stripe_bytes = mib;
  facts.storage.stripe_targets = targets;
  return facts;
}

// Copies and messages take no time.
Prices prices_of_targets() {
  Prices prices = builtin_prices({});
  prices.of_target = true;
  for (RequestPrices* requests : {&prices.read, &prices.write})
    requests->window = Curve::line(0, mib / stripe_seconds);
  prices.copy = Curve::line(0, 1e15);
  prices.network_bytes_per_second = 1e15;
  return prices;
}

// Of one group, with a realm for each list of windows, all of them equally long, on nodes of their own.
Layout layout_of(int64_t window_bytes, const std::vector<pattern::Interval>& realms) {
  Layout layout;
  layout.groups.emplace_back();
  for (const pattern::Interval& bytes : realms) {
    const int index = static_cast<int>(layout.realms.size());
    layout.groups[0].nodes.push_back(index);
    Realm& realm = layout.realms.emplace_back();
    realm.group = 0;
    realm.node = realm.aggregator = index;
    realm.owned = pattern::Access::contiguous(0);
    realm.positions = {bytes};
    realm.bytes = bytes.length();
    realm.window_bytes = window_bytes;
  }
  layout.groups[0].end_realm = static_cast<int>(realms.size());
  count_rounds(layout);
  return layout;
}

double seconds_of(const Facts& facts, const Layout& layout, const Prices& prices) {
  return seconds_on_targets(facts, layout, prices).value();
}

TEST(Striped, TargetsMoveTheStripesOfAWindowTogether) {
  const Facts facts = facts_of(Operation::write, 1, 4, 16 * mib);
  const Prices prices = prices_of_targets();
  EXPECT_NEAR(seconds_of(facts, layout_of(4 * mib, {{0, 16 * mib}}), prices), 4 * stripe_seconds, 1e-6);
  EXPECT_NEAR(seconds_of(facts, layout_of(mib, {{0, 16 * mib}}), prices), 16 * stripe_seconds, 1e-6);
  // Two of its stripes are on the same target.
  EXPECT_NEAR(seconds_of(facts, layout_of(8 * mib, {{0, 16 * mib}}), prices), 4 * stripe_seconds, 1e-6);
}

// Both begin on the same target, or one behind the other.
TEST(Striped, AggregatorsWaitForEachOtherAtATarget) {
  const Prices prices = prices_of_targets();
  const Facts facts = facts_of(Operation::write, 2, 2, 4 * mib);
  EXPECT_NEAR(seconds_of(facts, layout_of(mib, {{0, mib}, {2 * mib, 3 * mib}}), prices), 2 * stripe_seconds,
              1e-6);
  EXPECT_NEAR(seconds_of(facts, layout_of(mib, {{0, mib}, {mib, 2 * mib}}), prices), stripe_seconds, 1e-6);
}

// While the one with eight windows ends, the other has long done its two.
TEST(Striped, TheAggregatorWithMostRoundsEndsLast) {
  const Prices prices = prices_of_targets();
  const Facts facts = facts_of(Operation::write, 2, 16, 10 * mib);
  const Layout layout = layout_of(mib, {{0, 2 * mib}, {2 * mib, 10 * mib}});
  EXPECT_NEAR(seconds_of(facts, layout, prices), 8 * stripe_seconds, 1e-6);
}

// Half of each window comes from the other node, or goes there. In the first round links are not always busy.
TEST(Striped, WhatComesFromOtherNodesPassesALinkAndACore) {
  for (const Operation operation : {Operation::write, Operation::read}) {
    const Facts facts = facts_of(operation, 2, 4, 4 * mib);
    Layout layout = layout_of(mib, {{0, 2 * mib}, {2 * mib, 4 * mib}});
    layout.parcel_bytes = {1, 1};  // nothing is sent ahead
    Prices prices = prices_of_targets();
    const double free = seconds_of(facts, layout, prices);
    prices.network_bytes_per_second = 50 * mib;  // 10 ms for half a window
    EXPECT_NEAR(seconds_of(facts, layout, prices) - free, 0.01 / 0.5 + 0.01, 1e-6);
    prices.copy = Curve::line(0, 25 * mib);  // 20 ms, while the link is at work; and all ranks copy for 80 ms
    EXPECT_NEAR(seconds_of(facts, layout, prices) - free, 2 * 0.02 + 0.08, 1e-6);
  }
}

// All that a round brings comes from one node or goes there; or the parts of the nodes are equal.
TEST(Striped, ANodeThatHasAllOfARoundNeedsItsLinkForAllOfIt) {
  for (const Operation operation : {Operation::write, Operation::read}) {
    Facts facts = facts_of(operation, 4, 8, 8 * mib);
    Layout layout =
        layout_of(mib, {{0, 2 * mib}, {2 * mib, 4 * mib}, {4 * mib, 6 * mib}, {6 * mib, 8 * mib}});
    layout.parcel_bytes = {1, 1, 1, 1};
    Prices prices = prices_of_targets();
    const double free = seconds_of(facts, layout, prices);
    prices.network_bytes_per_second = 75 * mib;  // 10 ms for three quarters of a window
    EXPECT_NEAR(seconds_of(facts, layout, prices) - free, 0.01 / 0.5 + 0.01, 1e-6);
    // The first windows of all realms are asked for by the first node, the second ones by the second.
    for (NodeFacts& node : facts.nodes) node.spans = {{8 * mib, 9 * mib}};
    for (const int64_t node : {0, 1}) {
      NodeFacts& its = facts.nodes[static_cast<size_t>(node)];
      its.bytes = 4 * mib;
      its.spans.clear();
      for (int64_t realm = 0; realm < 4; ++realm)
        its.spans.push_back({(2 * realm + node) * mib, (2 * realm + node + 1) * mib});
    }
    EXPECT_GT(seconds_of(facts, layout, prices) - free, 2 * (0.01 / 0.5 + 0.01));
  }
}

// Its data for the second round are under way while storage writes those of the first.
TEST(Striped, ANodeWithoutWindowsSendsAhead) {
  Facts facts = facts_of(Operation::write, 2, 2, 2 * mib);
  facts.nodes[0].spans = {{2 * mib, 3 * mib}};
  facts.nodes[1].spans = {{0, 2 * mib}};
  facts.nodes[1].bytes = 2 * mib;
  Layout layout = layout_of(mib, {{0, 2 * mib}});
  layout.groups[0].nodes.push_back(1);
  Prices prices = prices_of_targets();
  const double free = seconds_of(facts, layout, prices);
  prices.network_bytes_per_second = 200 * mib;  // 5 ms for a window, and twice as long in the first round
  EXPECT_NEAR(seconds_of(facts, layout, prices) - free, 0.01, 1e-6);
}

// What is not played takes as long on average as what is.
TEST(Striped, ManyWindowsArePlayedInPart) {
  const Prices prices = prices_of_targets();
  const int64_t bytes = int64_t{100'000} * mib;
  const Facts facts = facts_of(Operation::write, 1, 4, bytes);
  EXPECT_NEAR(seconds_of(facts, layout_of(mib, {{0, bytes}}), prices), 1e5 * stripe_seconds, 1);
}

TEST(Striped, PricesOfStorageAsAWholeHaveItsTargetsInThem) {
  Prices prices = prices_of_targets();
  prices.of_target = false;
  const Facts facts = facts_of(Operation::write, 1, 4, 16 * mib);
  EXPECT_FALSE(seconds_on_targets(facts, layout_of(mib, {{0, 16 * mib}}), prices));
}

}  // namespace
}  // namespace concilio::plan::striped_test
