#include "plan/choose/shared_stripes.h"

#include <gtest/gtest.h>

#include "plan/choose/cheapest_layout.h"
#include "plan/plan.h"
#include "unit/plan_facts.h"

namespace concilio::plan::shared_stripes_test {
namespace {

constexpr int64_t KiB = 1 << 10, MiB = 1 << 20;

struct Part {
  int node;
  std::vector<pattern::Interval> stretches;
};

int64_t most_shared(const std::vector<Part>& parts, int64_t window_bytes = MiB) {
  Layout layout;
  for (const Part& part : parts) {
    Realm realm;
    realm.node = part.node;
    realm.positions = part.stretches;
    realm.window_bytes = window_bytes;
    layout.realms.push_back(realm);
  }
  return most_shared_stripes(MiB, layout);
}

TEST(SharedStripes, OfDifferentNodesCount) {
  EXPECT_EQ(most_shared({{0, {{0, 2 * MiB}}}, {1, {{2 * MiB, 4 * MiB}}}}), 0);
  EXPECT_EQ(most_shared({{0, {{0, 2 * MiB + 1}}}, {1, {{2 * MiB + 1, 4 * MiB}}}}), 1);
  EXPECT_EQ(most_shared({{0, {{0, 2 * MiB + 1}}}, {0, {{2 * MiB + 1, 4 * MiB}}}}), 0);
  EXPECT_EQ(most_shared({}), 0);
}

TEST(SharedStripes, OfOneRequestCountOnce) {
  const std::vector<Part> parts = {
      {0, {{0, 512 * KiB}}}, {1, {{512 * KiB, 3 * MiB + 1}}}, {2, {{3 * MiB + 1, 4 * MiB}}}};
  EXPECT_EQ(most_shared(parts, MiB), 2);
  EXPECT_EQ(most_shared(parts, 4 * MiB), 1);
}

// Each stretch is a request of its own.
TEST(SharedStripes, OfSeveralStretchesAddUp) {
  EXPECT_EQ(most_shared({{0, {{0, 512 * KiB}, {2 * MiB, 2 * MiB + 1}, {5 * MiB, 6 * MiB}}},
                         {1, {{512 * KiB, 2 * MiB}, {2 * MiB + 1, 5 * MiB}}}}),
            2);
}

// Eight nodes, whose data lie one after another on a file system that locks stripes.
Facts serial(int64_t bytes_of_node, int64_t revoke_ns, Operation operation = Operation::write) {
  constexpr int nodes = 8, ranks = 8;
  Facts facts = test::contiguous(operation, nodes * ranks, bytes_of_node / ranks);
  facts.nodes = test::make_nodes(nodes, ranks);
  facts.cores_per_node = ranks;
  facts.wishes.memory_limit_bytes = 64 * MiB;
  facts.storage.kind = StorageFacts::Kind::parallel;
  facts.storage.stripe_bytes = MiB;
  facts.storage.stripe_targets = 16;
  facts.storage.revoke_ns = revoke_ns;
  test::NodeData data;
  for (int node = 0; node < nodes; ++node)
    data.push_back({{node * bytes_of_node, (node + 1) * bytes_of_node}});
  test::gather(facts, data);
  return facts;
}

Layout cheapest(const Facts& facts) {
  return cheapest_layout(facts, {{facts.digest.first, facts.digest.end}});
}

TEST(SharedStripes, AreAvoidedWhereThatPays) {
  for (const Operation operation : {Operation::write, Operation::read}) {
    const int64_t uneven = 8 * MiB + 512 * KiB;
    const Layout without_locks = cheapest(serial(uneven, 0, operation));
    EXPECT_EQ(without_locks.groups.size(), 8u);
    EXPECT_GT(most_shared_stripes(MiB, without_locks), 0);
    for (const int64_t revoke_ns : {400'000, 5'000'000}) {
      const Layout layout = cheapest(serial(uneven, revoke_ns, operation));
      EXPECT_EQ(most_shared_stripes(MiB, layout), 0) << revoke_ns;
    }
    // Where nodes begin with stripes of their own, they stay by themselves.
    EXPECT_EQ(cheapest(serial(8 * MiB, 5'000'000, operation)).groups.size(), 8u);
  }
}

// Ranks of eight nodes, two on each, that write blocks in turn.
Facts in_turn(int64_t block_bytes, int64_t revoke_ns, Operation operation = Operation::write) {
  constexpr int nodes = 8, ranks_of_node = 2;
  constexpr int64_t bytes_a_rank = 4 * MiB;
  Facts facts = test::interleaved(operation, nodes * ranks_of_node, block_bytes, bytes_a_rank);
  facts.nodes = test::make_nodes(nodes, ranks_of_node);
  facts.storage.kind = StorageFacts::Kind::parallel;
  facts.storage.stripe_bytes = MiB;
  facts.storage.stripe_targets = 8;
  facts.storage.revoke_ns = revoke_ns;
  return facts;
}

double taken(const Facts& facts) {
  return seconds_of_taken_stripes(facts, static_cast<double>(facts.digest.file_pieces));
}

TEST(TakenStripes, CostWritersOfSeveralNodesThatHaveBytesInThem) {
  constexpr int64_t revoke_ns = 5'000'000;
  // A node has 64 blocks of its two ranks together, and waits in each for half of the others.
  EXPECT_NEAR(taken(in_turn(64 * KiB, revoke_ns)), 64 * 4 * 5e-3, 0.03);
  EXPECT_GT(taken(in_turn(4 * KiB, revoke_ns)), 10 * taken(in_turn(64 * KiB, revoke_ns)));
  EXPECT_EQ(taken(in_turn(64 * KiB, revoke_ns, Operation::read)), 0);
  EXPECT_EQ(taken(in_turn(64 * KiB, 0)), 0);
  Facts on_one_node = in_turn(64 * KiB, revoke_ns);
  on_one_node.nodes = test::make_nodes(1, 16);
  EXPECT_EQ(taken(on_one_node), 0);
}

TEST(TakenStripes, AreNoneWhereEachRequestHasItsOwn) {
  EXPECT_EQ(taken(in_turn(MiB, 5'000'000)), 0);
  EXPECT_EQ(taken(serial(8 * MiB, 5'000'000)), 0);
  Facts shifted = in_turn(MiB, 5'000'000);
  shifted.digest.anchor = 512 * KiB;
  EXPECT_GT(taken(shifted), 0);
}

// Stretches of ranks one after another meet in few stripes.
TEST(TakenStripes, AreFewWhereRanksLieOneAfterAnother) {
  EXPECT_DOUBLE_EQ(taken(serial(8 * MiB + 8 * KiB, 5'000'000)), 1.5 * 5e-3);
}

TEST(TakenStripes, DecideForTwoPhase) {
  for (const int64_t block_bytes : {64 * KiB, 256 * KiB, MiB / 2}) {
    EXPECT_EQ(plan(in_turn(block_bytes, 5'000'000)).method, Method::two_phase) << block_bytes;
  }
  EXPECT_EQ(plan(in_turn(MiB / 2, 0)).method, Method::list);
  EXPECT_EQ(plan(in_turn(MiB / 2, 5'000'000, Operation::read)).method,
            plan(in_turn(MiB / 2, 0, Operation::read)).method);
}

}  // namespace
}  // namespace concilio::plan::shared_stripes_test
