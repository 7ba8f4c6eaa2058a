#include "plan/layout/clusters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "plan/layout/exchange.h"
#include "plan/layout/footprint.h"
#include "plan/layout/windows.h"
#include "plan/plan.h"
#include "plan/show/explain.h"
#include "unit/plan_facts.h"

namespace concilio::plan::clusters_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t KiB = 1 << 10;

// Each node has a realm, and a part of every window.
Facts many_nodes(int nodes, int64_t combine, int64_t bytes_a_rank = 512 * KiB, int64_t block_bytes = 64) {
  constexpr int ranks = 2;
  Facts facts = test::interleaved(Operation::write, nodes * ranks, block_bytes, bytes_a_rank);
  facts.nodes = test::make_nodes(nodes, ranks);
  facts.storage.kind = StorageFacts::Kind::memory;
  facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
  facts.wishes.window_bytes = 64 * KiB;
  facts.wishes.combine_nodes = combine;
  return facts;
}

int64_t messages(const Facts& facts, const Plan& plan) {
  int64_t all = 0;
  for (const Group& group : plan.groups) all += most_messages(facts, plan, group).all();
  return all;
}

TEST(Clusters, TakeTheMessagesOfTheFormula) {
  struct Row {
    int nodes;
    int64_t combine, of_round;
  };
  // n (2 (k - 1) + n / k - 1), and n (n - 1) without clusters.
  for (const Row row : {Row{32, 1, 992}, Row{32, 4, 416}, Row{16, 4, 144}, Row{8, 2, 40}}) {
    const Facts facts = many_nodes(row.nodes, row.combine);
    const Plan made = plan(facts);
    ASSERT_EQ(made.combined_nodes, row.combine);
    ASSERT_EQ(std::ssize(made.realms), row.nodes);
    EXPECT_EQ(messages(facts, made), row.of_round * made.rounds) << row.nodes << " by " << row.combine;
  }
}

TEST(Clusters, DealTheRealmsOfOthersToTheirNodes) {
  const Facts facts = many_nodes(13, 4);
  const Plan made = plan(facts);
  const Group& group = made.groups.front();
  ASSERT_EQ(made.realms.size(), 13u);
  for (const int node : group.nodes) {
    std::map<int, int> relayed;
    const std::span<const int> cluster = cluster_of(group, made.combined_nodes, node);
    EXPECT_EQ(cluster.size(), node < 12 ? 4u : 1u);
    for (size_t realm = 0; realm < made.realms.size(); ++realm) {
      const int relay = relay_of(made, group, realm, node);
      const int home = made.realms[realm].node;
      if (node == 12 || home / 4 == node / 4) {
        EXPECT_EQ(relay, direct) << "of node " << node << " to realm " << realm;
        continue;
      }
      ASSERT_THAT(cluster, ::testing::Contains(relay));
      EXPECT_EQ(relay, relay_of(made, group, realm, cluster.front()));
      ++relayed[relay];
    }
    for (const auto& [relay, realms] : relayed) EXPECT_LE(realms, 3) << "by node " << relay;
    EXPECT_EQ(relayed.size(), node < 12 ? 4u : 0u);
  }
}

TEST(Clusters, TakeNoMoreMemory) {
  for (const int nodes : {3, 8, 32}) {
    for (const int64_t limit : {128 * KiB, 1024 * KiB, 8192 * KiB}) {
      Facts facts = many_nodes(nodes, 1);
      facts.wishes.memory_limit_bytes = limit;
      const Plan alone = plan(facts);
      facts.wishes.combine_nodes = 2;
      const Plan combined = plan(facts);
      if (combined.combined_nodes == 1) continue;
      EXPECT_EQ(combined.window_bytes, alone.window_bytes);
      EXPECT_LE(combined.segment_bytes, alone.segment_bytes);
      EXPECT_LE(combined.peak_bytes, alone.peak_bytes);
      for (int node = 0; node < nodes; ++node) EXPECT_LE(node_bytes(combined, node), node_bytes(alone, node));
      // Descriptions are gathered where the arenas and buffers are.
      const int64_t parcel = combined.parcel_bytes[0];
      EXPECT_GE(parcel, least_parcel_bytes);
      EXPECT_GE(arenas_bytes(parcel, true), facts.nodes[0].ranks * combined.description_bytes);
    }
  }
}

TEST(Clusters, AreFormedWhereSharesAreSmallAndNodesMany) {
  const auto combined = [](const Facts& facts) { return plan(facts).combined_nodes; };
  EXPECT_GT(combined(many_nodes(32, 0)), 1);
  EXPECT_GT(combined(many_nodes(128, 0)), combined(many_nodes(16, 0)));
  EXPECT_EQ(combined(many_nodes(2, 0)), 1);
  EXPECT_EQ(combined(many_nodes(1, 0)), 1);
  EXPECT_EQ(combined(many_nodes(1, 4)), 1);
  // All nodes together have nobody to send to.
  EXPECT_EQ(combined(many_nodes(8, 7)), 7);
  EXPECT_EQ(combined(many_nodes(8, 8)), 1);
  EXPECT_EQ(combined(many_nodes(8, 1000)), 1);
  // The bytes cost more than the messages.
  Facts large = many_nodes(32, 0, 32 << 20, 64);
  large.wishes.window_bytes = 8 << 20;
  large.wishes.memory_limit_bytes = 256 << 20;
  EXPECT_EQ(combined(large), 1);
  // Nobody has data in many windows.
  EXPECT_EQ(combined(many_nodes(32, 0, 512 * KiB, 512 * KiB)), 1);
}

TEST(Clusters, AreNotFormedWithoutShortDescriptions) {
  Facts lists = many_nodes(16, 4);
  lists.digest.description_bytes = 2 * short_description_bytes;
  const Plan told = plan(lists);
  EXPECT_EQ(told.exchange, ExchangeStrategy::descriptions);
  EXPECT_EQ(told.combined_nodes, 1);
  EXPECT_THAT(explain_text(lists, told),
              HasSubstr("do not bring their shares together: the lists of pieces"));
  Facts images = many_nodes(16, 4);
  images.wishes.exchange = ExchangeWish::images;
  EXPECT_EQ(plan(images).combined_nodes, 1);
}

// A relay keeps what its cluster asks for, and an aggregator gets it in one message.
TEST(Clusters, HaveNoMoreNodesThanTheirRelaysHaveMemoryFor) {
  Facts facts = many_nodes(32, 16, 512 * KiB, 512);
  facts.digest.description_bytes = short_description_bytes;
  EXPECT_EQ(plan(facts).combined_nodes, 16);
  facts.wishes.memory_limit_bytes = 1024 * KiB;
  const Plan little = plan(facts);
  EXPECT_GT(little.combined_nodes, 1);
  EXPECT_LT(little.combined_nodes, 16);
  EXPECT_LE(little.combined_nodes * 2 * short_description_bytes, little.told_bytes);
}

TEST(Clusters, AreExplained) {
  const Facts asked = many_nodes(32, 4), free = many_nodes(32, 0), alone = many_nodes(32, 1);
  EXPECT_THAT(explain_text(asked, plan(asked)), HasSubstr("4 neighbouring nodes bring"));
  EXPECT_THAT(explain_text(asked, plan(asked)), HasSubstr("as concilio_combine_nodes asks for"));
  EXPECT_THAT(explain_text(free, plan(free)), HasSubstr("which costs less"));
  EXPECT_THAT(explain_text(alone, plan(alone)), Not(HasSubstr("neighbouring")));
}

}  // namespace
}  // namespace concilio::plan::clusters_test
