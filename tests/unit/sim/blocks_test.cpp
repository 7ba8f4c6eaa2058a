// Plans for arrays in blocks on several nodes of a cluster with parallel storage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "plan/choose/cheapest_layout.h"
#include "plan/plan.h"
#include "sim/gather.h"

namespace concilio::sim::blocks_test {
namespace {

using ::testing::Each;
using ::testing::Field;
using ::testing::SizeIs;

constexpr int ranks_of_node = 8;

Machine cluster(int nodes) {
  Machine machine;
  machine.ranks_of_node.assign(static_cast<size_t>(nodes), ranks_of_node);
  machine.cores_per_node = 64;
  machine.storage.kind = plan::StorageFacts::Kind::parallel;
  machine.storage.stripe_bytes = 1 << 20;
  machine.storage.stripe_targets = 64;
  return machine;
}

plan::Facts facts_of(int nodes, Operation operation, const plan::Wishes& wishes = {}) {
  const Result<Pattern> pattern = make_pattern("block4d", {nodes * ranks_of_node, 2 << 20});
  EXPECT_TRUE(pattern.ok());
  return gather(*pattern, 0, cluster(nodes), operation, wishes);
}

// With one aggregator on each of two nodes, two_phase would be dearer than sieving.
TEST(Blocks, NodesTellWhereTheirBytesLieIfOnlyTheCheapestLayoutNeedsIt) {
  const plan::Facts facts = facts_of(2, Operation::read);
  EXPECT_EQ(plan::plan(facts).method, plan::Method::two_phase);
  EXPECT_THAT(facts.nodes, Each(Field(&plan::NodeFacts::spans, SizeIs(1))));
}

// The blocks of a node fill 11 stretches of the file, between those of others.
TEST(Blocks, NodesWhoseStretchesAreInterwovenAreGroupsOfTheirOwn) {
  for (const Operation operation : {Operation::write, Operation::read}) {
    const plan::Plan plan = plan::plan(facts_of(8, operation));
    EXPECT_EQ(plan.groups.size(), 8u);
    EXPECT_THAT(plan.groups, Each(Field(&plan::Group::nodes, SizeIs(1))));
    EXPECT_THAT(plan.groups, Each(Field(&plan::Group::spans, SizeIs(11))));
  }
}

// As far as prices tell. Not every combination of windows and aggregators is tried.
TEST(Blocks, NoOtherNumberOfAggregatorsIsCheaper) {
  for (const int nodes : {1, 8}) {
    const auto seconds = [&](const plan::Wishes& wishes) {
      const plan::Facts facts = facts_of(nodes, Operation::write, wishes);
      return plan::price_of_layout(facts, plan::plan(facts), plan::prices_of(facts)).seconds;
    };
    for (const int64_t aggregators : {1, 2, 4, 8}) {
      plan::Wishes wishes;
      wishes.aggregators_per_node = aggregators;
      EXPECT_LE(seconds({}), 1.15 * seconds(wishes)) << aggregators << " on each of " << nodes << " nodes";
    }
  }
}

// Windows may be smaller with more memory, if the first exchange then takes less time than more rounds cost.
// Another layout than the usual one must be 5 % cheaper.
TEST(Blocks, MoreMemoryDoesNotMeanALongerCall) {
  plan::Wishes wishes;
  double least = 1;
  for (const int64_t mib : {8, 16, 64}) {
    wishes.memory_limit_bytes = mib << 20;
    const plan::Facts facts = facts_of(32, Operation::write, wishes);
    const double seconds = plan::price_of_layout(facts, plan::plan(facts), plan::prices_of(facts)).seconds;
    EXPECT_LE(seconds, least / 0.95) << mib;
    least = seconds;
  }
}

// On 128 nodes other layouts than the usual one, of one aggregator a node, are tried too.
TEST(Blocks, SeveralRanksOfANodeAggregateOnManyNodes) {
  EXPECT_GE(plan::plan(facts_of(128, Operation::write)).realms.size(), 2u * 128);
}

// Each node has a few realms of two windows. If some begin with the second, which may be the longer one,
// storage has to wait for more bytes.
TEST(Blocks, RealmsOfOneNodeBeginWithTheirShortWindows) {
  plan::Facts facts = facts_of(4, Operation::write);
  plan::Prices prices = plan::prices_of(facts);
  for (plan::Curve* curve : {&prices.write.window, &prices.write.scattered, &prices.write.adjoining})
    *curve = plan::Curve::line(2e-4, 5.86e9);
  prices.requests_of_target = 3;
  prices.copy = plan::Curve::line(0, 8e9);
  prices.network_bytes_per_second = prices.node_bytes_per_second = 25e9;
  facts.prices = std::make_shared<const plan::Prices>(prices);
  const plan::Plan made = plan::plan(facts);
  EXPECT_EQ(made.rounds, 2);
  EXPECT_THAT(made.realms, Each(Field(&plan::Realm::start, 0)));
  facts.trial = made.trial;
  EXPECT_TRUE(std::exchange(facts.trial.from_front, false));
  const plan::Layout staggered = plan::usual_layout(facts, {{facts.digest.first, facts.digest.end}});
  EXPECT_LT(plan::price_of_layout(facts, made, prices).seconds,
            plan::price_of_layout(facts, staggered, prices).seconds);
}

}  // namespace
}  // namespace concilio::sim::blocks_test
