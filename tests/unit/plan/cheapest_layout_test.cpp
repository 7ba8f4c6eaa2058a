// The choice between the layouts of a two-phase call.
#include "plan/choose/cheapest_layout.h"

#include <gtest/gtest.h>

#include <memory>

#include "plan/choose/method_table.h"
#include "plan/choose/striped.h"
#include "plan/choose/two_phase_cost.h"
#include "plan/facts/prices.h"
#include "plan/layout/windows.h"
#include "plan/plan.h"
#include "unit/plan_facts.h"

namespace concilio::plan::cheapest_layout_test {
namespace {

constexpr int64_t mib = 1 << 20;

// Two ranks on a node that write 64 MiB together and have enough memory.
Facts call(StorageFacts::Kind kind) {
  Facts facts = test::interleaved(Operation::write, 2, 4096);
  facts.storage.kind = kind;
  facts.wishes.memory_limit_bytes = 256 * mib;
  return facts;
}

std::vector<pattern::Interval> whole(const Facts& facts) {
  return {{facts.digest.first, facts.digest.end}};
}

double seconds(const Facts& facts, const Layout& layout) {
  return cost_of_two_phase(facts, layout, prices_of(facts)).seconds();
}

TEST(CheapestLayout, RemoteStorageTakesLargerWindows) {
  const Facts remote = call(StorageFacts::Kind::network), local = call(StorageFacts::Kind::local);
  const Layout far = cheapest_layout(remote, whole(remote)), near = cheapest_layout(local, whole(local));
  EXPECT_GT(far.window_bytes, usual_layout(remote, whole(remote)).window_bytes);
  EXPECT_EQ(near.window_bytes, usual_layout(local, whole(local)).window_bytes);
  EXPECT_LT(seconds(remote, far), seconds(remote, usual_layout(remote, whole(remote))));
}

// Of a realm that is one window and a half.
TEST(CheapestLayout, TriedWindowsAreShorterRatherThanLonger) {
  Facts facts = test::contiguous(Operation::write, 1, 3 * mib);
  facts.storage.kind = StorageFacts::Kind::parallel;
  facts.storage.stripe_bytes = mib;
  facts.wishes.aggregators = 1;
  facts.trial.window_bytes = 2 * mib;
  const Layout layout = usual_layout(facts, whole(facts));
  EXPECT_EQ(layout.window_bytes, 2 * mib);
  EXPECT_EQ(layout.rounds, 2);
}

// 64 nodes of eight ranks with 2 MiB each, of which two share pieces. With the best number of aggregators for
// the usual windows, and the best windows for that, it takes longer.
TEST(CheapestLayout, ManyAggregatorsWithSmallWindowsAreFound) {
  Facts facts = test::interleaved(Operation::write, 64 * 8, 4096, 2 * mib);
  facts.nodes = test::make_nodes(64, 8);
  facts.cores_per_node = 64;
  facts.storage.kind = StorageFacts::Kind::parallel;
  facts.storage.stripe_bytes = mib;
  facts.storage.stripe_targets = 64;
  const Layout best = cheapest_layout(facts, whole(facts));
  const double least = price_of_layout(facts, best, prices_of(facts)).seconds;
  for (const int64_t aggregators : {2, 4, 8}) {
    for (const int64_t window : {1, 2, 4}) {
      Facts tried = facts;
      tried.trial.aggregators_per_node = aggregators;
      tried.trial.window_bytes = window * mib;
      const Layout layout = usual_layout(tried, whole(facts));
      EXPECT_GE(price_of_layout(facts, layout, prices_of(facts)).seconds, least)
          << aggregators << ' ' << window;
    }
  }
}

TEST(CheapestLayout, WishesAreRespected) {
  Facts facts = call(StorageFacts::Kind::network);
  facts.wishes.window_bytes = 512 << 10;
  facts.wishes.aggregators = 1;
  facts.wishes.realms = RealmPolicy::aligned;
  const Layout layout = cheapest_layout(facts, whole(facts));
  EXPECT_EQ(layout.window_bytes, 512 << 10);
  EXPECT_EQ(layout.realms.size(), 1u);
  EXPECT_EQ(layout.policy, RealmPolicy::aligned);
  facts.wishes.aggregators = 2;
  EXPECT_EQ(cheapest_layout(facts, whole(facts)).realms.size(), 2u);
}

// Nine tenths of the bytes are in the first tenth of the range.
TEST(CheapestLayout, SkewedBytesTakeBalancedRealms) {
  Facts facts = call(StorageFacts::Kind::parallel);
  facts.storage.stripe_targets = 8;  // so that two aggregators pay off
  const int64_t end = 640 * mib;
  const test::NodeData data = {{{0, 57 * mib}, {600 * mib, 606 * mib + 1}, {end - mib, end}}};
  test::gather(facts, data);
  const std::vector<pattern::Interval> spans = data[0];
  const Layout layout = cheapest_layout(facts, spans);
  EXPECT_EQ(usual_layout(facts, spans).policy, RealmPolicy::even);
  EXPECT_EQ(layout.policy, RealmPolicy::balanced);
  EXPECT_LT(seconds(facts, layout), seconds(facts, usual_layout(facts, spans)));
}

TEST(CheapestLayout, RealmsOfTheFileKeepTheirs) {
  for (const RealmPolicy policy : {RealmPolicy::persistent, RealmPolicy::cyclic}) {
    Facts facts = call(StorageFacts::Kind::network);
    facts.wishes.realms = policy;
    const Layout layout = cheapest_layout(facts, whole(facts)), usual = usual_layout(facts, whole(facts));
    EXPECT_EQ(layout.policy, policy);
    EXPECT_EQ(layout.window_bytes, usual.window_bytes);
    ASSERT_EQ(layout.realms.size(), usual.realms.size());
    for (size_t i = 0; i < usual.realms.size(); ++i) {
      EXPECT_EQ(layout.realms[i].aggregator, usual.realms[i].aggregator);
      EXPECT_EQ(layout.realms[i].positions, usual.realms[i].positions);
    }
  }
}

TEST(CheapestLayout, NothingToLayOut) {
  const Facts facts = call(StorageFacts::Kind::network);
  EXPECT_TRUE(cheapest_layout(facts, {}).realms.empty());
}

// Nodes of a rank each that write 64 MiB each, interleaved, over 16 targets.
Facts on_nodes(const std::vector<int64_t>& free_mib) {
  const auto nodes = static_cast<int>(free_mib.size());
  Facts facts = test::interleaved(Operation::write, nodes, 65536, 64 * mib);
  facts.nodes = test::make_nodes(nodes, 1);
  for (size_t node = 0; node < free_mib.size(); ++node) facts.nodes[node].free_bytes = free_mib[node] * mib;
  facts.storage.kind = StorageFacts::Kind::parallel;
  facts.storage.stripe_bytes = mib;
  facts.storage.stripe_targets = 16;
  facts.wishes.memory_limit_bytes = 1024 * mib;
  return facts;
}

TEST(CheapestLayout, WindowsReachAllTargetsWhereThereIsMemory) {
  Facts facts = on_nodes({512, 512, 512, 512});
  Prices prices = prices_of(facts);
  prices.write.window = Curve::line(2e-3, 2e8);  // few requests are better, if all targets serve each
  prices.network_bytes_per_second = 1e10;
  facts.prices = std::make_shared<const Prices>(prices);
  EXPECT_EQ(cheapest_layout(facts, whole(facts)).window_bytes, 16 * mib);
  facts.storage.stripe_targets = 1;
  EXPECT_LE(cheapest_layout(facts, whole(facts)).window_bytes, 6 * mib);
}

TEST(CheapestLayout, AggregatorsWithSmallWindowsDoNotEndLast) {
  const Facts facts = on_nodes({100, 20, 20, 20, 20, 20});
  const Layout layout = cheapest_layout(facts, whole(facts));
  ASSERT_GT(layout.realms.size(), 2u);
  int64_t fewest = INT64_MAX;
  for (const Realm& realm : layout.realms) fewest = std::min(fewest, rounds_of(realm));
  EXPECT_LE(layout.rounds, 2 * fewest);
}

// So a report predicts what layouts were compared by, and methods are compared by that too.
TEST(CheapestLayout, TheMethodIsPricedAsTheLayoutIs) {
  const Facts facts = on_nodes({512, 512, 512, 512});
  const Prices& prices = prices_of(facts);
  const Layout layout = cheapest_layout(facts, whole(facts));
  const auto [price, by_targets] = price_of_layout(facts, layout, prices);
  EXPECT_TRUE(by_targets);
  EXPECT_NEAR(seconds(facts, layout), price, 1e-9);
  EXPECT_NE(summed_cost_of_two_phase(facts, layout, prices).seconds(), price);
  double played = 0;
  for (const char* term : {"requests", "storage", "copies", "sorting", "network"})
    played += cost_of_two_phase(facts, layout, prices).seconds_of(term);
  EXPECT_NEAR(played, *seconds_on_targets(facts, layout, prices), 1e-9);
}

// Otherwise requests of each rank alone seem cheaper than the few large windows of the cheapest layout.
TEST(CheapestLayout, TargetsThatServeOneWindowTogetherAreInThePriceOfTheMethod) {
  Facts facts = test::interleaved(Operation::read, 8, 28 << 10, 2 * mib);
  facts.cores_per_node = 64;
  facts.storage.kind = StorageFacts::Kind::parallel;
  facts.storage.stripe_bytes = mib;
  facts.storage.stripe_targets = 64;
  EXPECT_EQ(plan(facts).method, Method::two_phase);
}

TEST(Striped, StretchesOfAWindowAreMovedAtTheSameTime) {
  Facts facts = on_nodes({512});
  facts.digest.bytes = facts.digest.end = 4 * mib;
  facts.wishes.aggregators = 1;
  facts.wishes.window_bytes = 4 * mib;
  Layout layout = usual_layout(facts, whole(facts));
  ASSERT_EQ(layout.realms.size(), 1u);
  ASSERT_EQ(layout.rounds, 1);
  const Prices& prices = prices_of(facts);
  const double together = *seconds_on_targets(facts, layout, prices);
  layout.realms[0].positions = {{0, mib}, {2 * mib, 3 * mib}, {4 * mib, 5 * mib}, {6 * mib, 7 * mib}};
  EXPECT_DOUBLE_EQ(*seconds_on_targets(facts, layout, prices), together);
}

}  // namespace
}  // namespace concilio::plan::cheapest_layout_test
