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

// The windows of a round lie on the same target. While one aggregator waits there, the other is at its next.
TEST(Striped, AggregatorsAreNotHeldUpByThoseOfTheirRound) {
  const Prices prices = prices_of_targets();
  for (const Operation operation : {Operation::write, Operation::read}) {
    const Facts facts = facts_of(operation, 2, 2, 8 * mib);
    EXPECT_NEAR(seconds_of(facts, layout_of(mib, {{0, 4 * mib}, {4 * mib, 8 * mib}}), prices),
                5 * stripe_seconds, 1e-6);
  }
}

// Half of each window comes from the other node, or goes there. In the first round links are not always busy,
// and while storage has the first window the second is exchanged.
TEST(Striped, WhatComesFromOtherNodesPassesALinkAndACore) {
  for (const Operation operation : {Operation::write, Operation::read}) {
    const Facts facts = facts_of(operation, 2, 2, 4 * mib);
    const Layout layout = layout_of(mib, {{0, 2 * mib}, {2 * mib, 4 * mib}});
    Prices prices = prices_of_targets();
    const double free = seconds_of(facts, layout, prices);
    prices.network_bytes_per_second = 50 * mib;  // 10 ms for half a window
    EXPECT_NEAR(seconds_of(facts, layout, prices) - free, 0.01 / 0.5, 1e-6);
    prices.copy = Curve::line(0, 25 * mib);  // 20 ms, while the link is at work; and all ranks copy for 80 ms
    EXPECT_NEAR(seconds_of(facts, layout, prices) - free, 2 * 0.02 + 0.08 - stripe_seconds, 1e-6);
  }
}

// Half of each window's bytes, in so many pieces.
Facts with_holes(Facts facts, int64_t pieces) {
  facts.digest.bytes /= 2;
  facts.digest.file_pieces = pieces;
  return facts;
}

TEST(Striped, OldBytesOfWindowsWithHolesAreReadFirst) {
  const Facts facts = with_holes(facts_of(Operation::write, 1, 4, 16 * mib), 16 * 1024);
  Prices prices = prices_of_targets();
  prices.lock_seconds = 0;
  EXPECT_NEAR(seconds_of(facts, layout_of(mib, {{0, 16 * mib}}), prices), 2 * 16 * stripe_seconds, 1e-6);
  // Of each window, besides.
  prices.lock_seconds = 0.002;
  EXPECT_NEAR(seconds_of(facts, layout_of(mib, {{0, 16 * mib}}), prices), 16 * (2 * stripe_seconds + 0.002),
              1e-6);
  prices.lock_seconds = 0;
  prices.read.window = Curve::line(0, 2 * mib / stripe_seconds);
  EXPECT_NEAR(seconds_of(facts, layout_of(mib, {{0, 16 * mib}}), prices), 1.5 * 16 * stripe_seconds, 1e-6);
  // While one writes the other reads.
  const Layout two = layout_of(mib, {{0, mib}, {4 * mib, 5 * mib}});
  EXPECT_NEAR(seconds_of(with_holes(facts_of(Operation::write, 2, 4, 2 * mib), 2048), two, prices),
              3 * stripe_seconds, 1e-6);
}

TEST(Striped, PiecesAreWrittenOneAfterAnotherAndThoseOfOthersComeBetween) {
  Prices prices = prices_of_targets();
  prices.write.window = Curve::line(0.001, mib / stripe_seconds);
  const Facts one = with_holes(facts_of(Operation::write, 1, 4, mib), 8),
              two = with_holes(facts_of(Operation::write, 2, 4, 2 * mib), 16);
  const double alone = 8 * 0.001 + stripe_seconds / 2;
  EXPECT_NEAR(seconds_of(one, layout_of(mib, {{0, mib}}), prices), alone, 1e-6);
  // A target works on several requests at a time, and moves the bytes of one after another.
  const Layout same = layout_of(mib, {{0, mib}, {4 * mib, 5 * mib}});
  EXPECT_NEAR(seconds_of(two, same, prices), alone, 1e-6);
  prices.requests_of_target = 1;
  EXPECT_NEAR(seconds_of(two, same, prices), 2 * alone, 1e-6);
  EXPECT_NEAR(seconds_of(two, layout_of(mib, {{0, mib}, {mib, 2 * mib}}), prices), alone, 1e-6);
  prices.requests_of_target = 4;
  // The sixteen pieces of a window with a stripe on both targets wait for each other, whichever they are on.
  const Facts wide = with_holes(facts_of(Operation::write, 3, 2, 6 * mib), 48);
  const Layout three = layout_of(2 * mib, {{0, 2 * mib}, {2 * mib, 4 * mib}, {4 * mib, 6 * mib}});
  EXPECT_NEAR(seconds_of(wide, three, prices), 2 * alone, 1e-6);
  prices.write.at_once = {8, 0};
  EXPECT_NEAR(seconds_of(one, layout_of(mib, {{0, mib}}), prices), stripe_seconds / 2, 1e-6) << "all at once";
  prices.requests_of_target = 2;
  EXPECT_NEAR(seconds_of(one, layout_of(mib, {{0, mib}}), prices), alone / 2, 1e-6) << "two at once";
}

// Each window is eight stretches of the file far apart, each with a hole, which wait for each other.
TEST(Striped, TargetsServeOthersBetweenTheStretchesOfAWindow) {
  Prices prices = prices_of_targets();
  prices.write.window = Curve::line(0.001, mib / stripe_seconds);
  prices.requests_of_target = 2;
  const auto spread = [](int64_t first) {
    std::vector<pattern::Interval> stretches;
    for (int64_t i = 0; i < 8; ++i) stretches.push_back({first + 4 * i * mib, first + 4 * i * mib + mib / 8});
    return stretches;
  };
  Layout layout = layout_of(mib, {{0, mib}, {mib, 2 * mib}});
  for (size_t i = 0; i < 2; ++i) layout.realms[i].positions = spread(static_cast<int64_t>(i) * mib / 4);
  const Facts facts = with_holes(facts_of(Operation::write, 2, 4, 2 * mib), 16);
  EXPECT_NEAR(seconds_of(facts, layout, prices), 8 * 0.001 + stripe_seconds / 2, 1e-6);
}

TEST(Striped, TheWindowsOfANodePassItsLinkToStorage) {
  const Facts facts = facts_of(Operation::write, 2, 4, 2 * mib);
  Prices prices = prices_of_targets();
  prices.node_bytes_per_second = 50 * mib;  // 20 ms for a window
  Layout layout = layout_of(mib, {{0, mib}, {mib, 2 * mib}});
  EXPECT_NEAR(seconds_of(facts, layout, prices), 0.02, 1e-6);
  layout.realms[1].node = 0;
  EXPECT_NEAR(seconds_of(facts, layout, prices), 2 * 0.02, 1e-6);
  prices.node_bytes_per_second = 0;
  EXPECT_NEAR(seconds_of(facts, layout, prices), stripe_seconds, 1e-6);
}

// Four windows, each of which takes 10 ms to be filled or emptied, and 10 ms at its target.
TEST(Striped, WithoutPipeliningAWindowIsExchangedAndMovedInTurn) {
  Prices prices = prices_of_targets();
  prices.copy = Curve::line(0, 100 * mib);
  for (const Operation operation : {Operation::write, Operation::read}) {
    Facts facts = facts_of(operation, 1, 4, 4 * mib);
    const Layout layout = layout_of(mib, {{0, 4 * mib}});
    EXPECT_NEAR(seconds_of(facts, layout, prices), 5 * stripe_seconds, 1e-6);
    facts.wishes.pipelining = false;
    EXPECT_NEAR(seconds_of(facts, layout, prices), 8 * stripe_seconds, 1e-6);
  }
}

TEST(Striped, ReadsThatWantAPartOfTheWindowsAreNotPlayed) {
  const Facts facts = with_holes(facts_of(Operation::read, 1, 4, 16 * mib), 16);
  EXPECT_FALSE(seconds_on_targets(facts, layout_of(mib, {{0, 16 * mib}}), prices_of_targets()));
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
