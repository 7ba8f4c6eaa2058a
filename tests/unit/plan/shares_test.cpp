#include "plan/choose/shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/facts/spans.h"
#include "unit/plan_facts.h"

namespace concilio::plan::shares_test {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Field;

auto share(int node, double bytes) {
  return AllOf(Field(&Shares::Share::node, node), Field(&Shares::Share::bytes, DoubleNear(bytes, 1e-6)));
}

// Nodes of a rank each, in one group.
struct Call {
  explicit Call(int nodes) {
    facts.nodes = test::make_nodes(nodes, 1);
    Group& group = layout.groups.emplace_back();
    for (int node = 0; node < nodes; ++node) group.nodes.push_back(node);
    layout.group_of_node.assign(static_cast<size_t>(nodes), 0);
  }
  void has(int node, std::vector<pattern::Interval> spans, int64_t bytes) {
    facts.nodes[static_cast<size_t>(node)].spans = std::move(spans);
    facts.nodes[static_cast<size_t>(node)].bytes = bytes;
  }
  std::vector<Shares::Share> of(int aggregator, const std::vector<pattern::Interval>& window) {
    Realm realm;
    realm.node = aggregator;
    realm.group = 0;
    std::vector<Shares::Share> shares;
    Shares(facts, layout).of_window(realm, window, shares);
    return shares;
  }
  Facts facts;
  Layout layout;
};

// The first two have all in turns, the third has what is behind.
TEST(Shares, FollowTheStretchesInWhichNodesHaveData) {
  Call call(3);
  call.has(0, {{0, 400}}, 300);
  call.has(1, {{0, 400}}, 100);
  call.has(2, {{400, 500}}, 100);
  EXPECT_THAT(call.of(0, {{0, 100}}), ElementsAre(share(0, 75), share(1, 25)));
  EXPECT_THAT(call.of(2, {{0, 100}}), ElementsAre(share(2, 0), share(0, 75), share(1, 25)));
  EXPECT_THAT(call.of(1, {{360, 400}, {400, 460}}), ElementsAre(share(1, 10), share(0, 30), share(2, 60)));
}

// What nodes tell of their stretches is rough, but a window has as many bytes as it has.
TEST(Shares, AreTheWholeWindow) {
  Call call(2);
  call.has(0, {{0, 1000}}, 10);
  call.has(1, {{0, 1000}}, 30);
  EXPECT_THAT(call.of(0, {{0, 100}}), ElementsAre(share(0, 25), share(1, 75)));
  EXPECT_THAT(call.of(0, {{2000, 2100}}), ElementsAre(share(0, 100)));
}

TEST(Shares, AreEqualWhereStretchesAreNotKnown) {
  Call call(4);
  EXPECT_THAT(call.of(1, {{0, 100}}), ElementsAre(share(1, 25), share(0, 25), share(2, 25), share(3, 25)));
}

TEST(Shares, OfOtherGroupsAreNone) {
  Call call(3);
  for (int node = 0; node < 3; ++node) call.has(node, {{0, 300}}, 100);
  call.layout.groups[0].nodes.pop_back();
  call.layout.group_of_node[2] = 1;
  EXPECT_THAT(call.of(0, {{0, 100}}), ElementsAre(share(0, 50), share(1, 50)));
}

TEST(Shares, OfVeryManyNodesAreToldTogether) {
  Call call(1000);
  EXPECT_THAT(call.of(7, {{0, 100}}), ElementsAre(share(7, 0.1), share(Shares::all_others, 99.9)));
  for (int node = 0; node < 1000; ++node) call.has(node, {{0, 1000}}, 1);
  call.has(7, {{0, 50}}, 20);
  EXPECT_THAT(call.of(7, {{0, 100}}), ElementsAre(share(7, 20), share(Shares::all_others, 80)));
}

}  // namespace
}  // namespace concilio::plan::shares_test
