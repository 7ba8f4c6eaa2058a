#include "plan/layout/groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/facts/spans.h"
#include "unit/plan_facts.h"

namespace concilio::plan::groups_test {
namespace {

using ::testing::ElementsAre;
using Intervals = std::vector<pattern::Interval>;

constexpr int64_t KiB = 1 << 10, MiB = 1 << 20;

// Three ranks on each node, whose data are in these intervals.
Facts of_nodes(const std::vector<Intervals>& spans, int64_t group_bytes = 1) {
  Facts facts = test::contiguous(Operation::write, 3 * static_cast<int>(spans.size()));
  facts.nodes = test::make_nodes(static_cast<int>(spans.size()), 3);
  facts.wishes.group_bytes = group_bytes;
  Intervals all;
  for (size_t node = 0; node < spans.size(); ++node) {
    facts.nodes[node].spans = spans[node];
    facts.nodes[node].bytes = total_bytes(spans[node]);
    all.insert(all.end(), spans[node].begin(), spans[node].end());
  }
  all = united(all);
  facts.digest.bytes = 0;
  for (const NodeFacts& node : facts.nodes) facts.digest.bytes += node.bytes;
  facts.digest.first = all.front().begin;
  facts.digest.end = all.back().end;
  return facts;
}

Intervals call_spans(const Facts& facts) {
  Intervals all;
  for (const NodeFacts& node : facts.nodes) all.insert(all.end(), node.spans.begin(), node.spans.end());
  return united(all);
}

std::vector<Group> groups(const Facts& facts, bool of_file = false) {
  return aggregation_groups(facts, call_spans(facts), of_file);
}

// The nodes of each group.
std::vector<std::vector<int>> members(const Facts& facts, bool of_file = false) {
  std::vector<std::vector<int>> out;
  for (const Group& group : groups(facts, of_file)) out.push_back(group.nodes);
  return out;
}

using Nodes = std::vector<std::vector<int>>;

// Figure 4 of the paper: nine processes on three nodes, with their data one after another. A group would have
// its size within node one. It is extended to the end of the data of that node's last process.
TEST(Groups, OfSerialDataEndWithTheLastProcessOfANode) {
  const Facts facts = of_nodes({{{0, 3 * MiB}}, {{3 * MiB, 6 * MiB}}, {{6 * MiB, 9 * MiB}}}, 2 * MiB);
  const std::vector<Group> made = groups(facts);
  ASSERT_EQ(made.size(), 3u);
  for (int node = 0; node < 3; ++node) {
    const Group& group = made[static_cast<size_t>(node)];
    EXPECT_THAT(group.nodes, ElementsAre(node));
    EXPECT_EQ(group.spans, (Intervals{{3 * node * MiB, 3 * (node + 1) * MiB}}));
    EXPECT_EQ(group.data_bytes, 3 * MiB);
  }
}

TEST(Groups, ThatAreTooSmallTakeTheirNeighbourInWhole) {
  const Facts facts = of_nodes({{{0, 3 * MiB}}, {{3 * MiB, 6 * MiB}}, {{6 * MiB, 9 * MiB}}}, 4 * MiB);
  const std::vector<Group> made = groups(facts);
  ASSERT_EQ(made.size(), 2u);
  EXPECT_THAT(made[0].nodes, ElementsAre(0, 1));
  EXPECT_EQ(made[0].spans, (Intervals{{0, 6 * MiB}}));
  EXPECT_THAT(made[1].nodes, ElementsAre(2));
}

TEST(Groups, GrowToTheBytesWishedAndARemainderJoinsItsPredecessor) {
  const std::vector<Intervals> seven = {{{0, 10}},  {{10, 20}}, {{20, 30}}, {{30, 40}},
                                        {{40, 50}}, {{50, 60}}, {{60, 70}}};
  struct Row {
    int64_t group_bytes;
    Nodes expected;
  };
  const Row rows[] = {
      {1, {{0}, {1}, {2}, {3}, {4}, {5}, {6}}}, {10, {{0}, {1}, {2}, {3}, {4}, {5}, {6}}},
      {11, {{0, 1}, {2, 3}, {4, 5}, {6}}},      {20, {{0, 1}, {2, 3}, {4, 5}, {6}}},
      {21, {{0, 1, 2}, {3, 4, 5}, {6}}},  // the rest is half of it or more
      {30, {{0, 1, 2}, {3, 4, 5, 6}}},    // less than half
      {40, {{0, 1, 2, 3}, {4, 5, 6}}},          {60, {{0, 1, 2, 3, 4, 5, 6}}},
      {INT64_MAX, {{0, 1, 2, 3, 4, 5, 6}}},
  };
  for (const Row& row : rows)
    EXPECT_EQ(members(of_nodes(seven, row.group_bytes)), row.expected) << row.group_bytes;
}

TEST(Groups, AreFormedByWhereDataLieNotByTheNumbersOfNodes) {
  const Facts facts = of_nodes({{{20, 30}}, {{0, 10}}, {{10, 20}}});
  EXPECT_EQ(members(facts), (Nodes{{1}, {2}, {0}}));
  Facts two = facts;
  two.wishes.group_bytes = 20;
  // In the order of the file, the first nodes are 1 and 2. The rest is half of a group.
  EXPECT_EQ(members(two), (Nodes{{1, 2}, {0}}));
}

TEST(Groups, OfInterwovenDataThereIsOne) {
  EXPECT_EQ(members(of_nodes({{{0, 90}}, {{30, 120}}, {{60, 150}}})), (Nodes{{0, 1, 2}}));
  EXPECT_EQ(members(of_nodes({{{0, 150}}, {{10, 20}}, {{30, 40}}})), (Nodes{{0, 1, 2}}));
}

TEST(Groups, NodesThatOverlapBelongTogether) {
  EXPECT_EQ(members(of_nodes({{{0, 11}}, {{10, 20}}, {{20, 30}}})), (Nodes{{0, 1}, {2}}));
  EXPECT_EQ(members(of_nodes({{{0, 10}}, {{10, 21}}, {{20, 30}}})), (Nodes{{0}, {1, 2}}));
  // One byte of many stretches connects them; nodes 0 and 2 are connected through node 1.
  EXPECT_EQ(members(of_nodes({{{0, 10}, {100, 110}}, {{50, 60}, {109, 120}}, {{55, 56}}, {{200, 210}}})),
            (Nodes{{0, 1, 2}, {3}}));
}

// Two variables, one after another, each divided by nodes.
TEST(Groups, OfTwoVariablesHaveAStretchOfEach) {
  const Facts facts = of_nodes({{{0, 10}, {30, 40}}, {{10, 20}, {40, 50}}, {{20, 30}, {50, 60}}});
  const std::vector<Group> made = groups(facts);
  ASSERT_EQ(made.size(), 3u);
  EXPECT_EQ(made[0].spans, (Intervals{{0, 10}, {30, 40}}));
  EXPECT_EQ(made[1].spans, (Intervals{{10, 20}, {40, 50}}));
  EXPECT_EQ(made[2].spans, (Intervals{{20, 30}, {50, 60}}));
  EXPECT_EQ(made[2].data_bytes, 20);
}

TEST(Groups, TakeSmallGapsAlongUnlessOthersHaveBytesThere) {
  const Facts facts = of_nodes({{{0, 10}, {50, 60}, {60 + 5 * KiB, 70 + 5 * KiB}},
                                {{10 * KiB, 10 * KiB + 1}, {10 * KiB + 100, 10 * KiB + 101}},
                                {{10 * KiB + 50, 10 * KiB + 51}}});
  const std::vector<Group> made = aggregation_groups(facts, Intervals{{0, 20 * KiB}}, false);
  ASSERT_EQ(made.size(), 3u);
  EXPECT_EQ(made[0].spans, (Intervals{{0, 60}, {60 + 5 * KiB, 70 + 5 * KiB}}));
  EXPECT_EQ(made[1].spans, (Intervals{{10 * KiB, 10 * KiB + 1}, {10 * KiB + 100, 10 * KiB + 101}}));
  EXPECT_EQ(made[2].spans, (Intervals{{10 * KiB + 50, 10 * KiB + 51}}));
}

TEST(Groups, NodeWithoutDataIsInNone) {
  EXPECT_EQ(members(of_nodes({{{0, 10}}, {}, {{10, 20}}})), (Nodes{{0}, {2}}));
  EXPECT_EQ(members(of_nodes({{}, {{0, 10}}, {}})), (Nodes{{1}}));
}

TEST(Groups, AreNoMoreThanAggregatorsAskedFor) {
  std::vector<Intervals> serial;
  for (int64_t node = 0; node < 12; ++node) serial.push_back({{node * KiB, (node + 1) * KiB}});
  // One large node between small ones.
  std::vector<Intervals> uneven = serial;
  uneven[5][0].end = 500 * KiB;
  for (size_t node = 6; node < 12; ++node)
    uneven[node][0] = {(500 + static_cast<int64_t>(node)) * KiB, (501 + static_cast<int64_t>(node)) * KiB};
  for (const std::vector<Intervals>& spans : {serial, uneven}) {
    Facts facts = of_nodes(spans);
    for (int64_t aggregators = 1; aggregators <= 14; ++aggregators) {
      facts.wishes.aggregators = aggregators;
      EXPECT_LE(groups(facts).size(), static_cast<size_t>(aggregators));
    }
    if (spans == serial) {
      EXPECT_EQ(groups(facts).size(), 12u);
    }
    facts.wishes.aggregators = 1;
    EXPECT_EQ(groups(facts).size(), 1u);
  }
}

TEST(Groups, ThereIsOneOfAllNodesWhere) {
  const Facts good = of_nodes({{{0, 10}}, {}, {{10, 20}}});
  Facts off = good, unknown = good;
  off.wishes.groups = false;
  for (NodeFacts& node : unknown.nodes) node.spans.clear();
  const Intervals spans{{0, 20}};
  const auto whole = [&](const Facts& facts, bool of_file, const char* situation) {
    const std::vector<Group> made = aggregation_groups(facts, spans, of_file);
    ASSERT_EQ(made.size(), 1u) << situation;
    EXPECT_THAT(made[0].nodes, ElementsAre(0, 1, 2)) << situation;
    EXPECT_EQ(made[0].spans, spans) << situation;
  };
  whole(off, false, "groups are not wished");
  whole(unknown, false, "it is not known whose data lie where");
  whole(good, true, "realms are the file's");
}

TEST(Groups, OfOneNodeThereIsOne) {
  EXPECT_EQ(members(of_nodes({{{0, 10}}})), (Nodes{{0}}));
}

TEST(Groups, DivideNodesAndBytesWhateverTheSpans) {
  std::mt19937_64 random(21);
  int several = 0;
  for (int i = 0; i < test::cases(20000); ++i) {
    const auto below = [&](uint64_t n) { return static_cast<int64_t>(random() % n); };
    std::vector<Intervals> spans(static_cast<size_t>(2 + below(12)));
    const int64_t length = 1 + below(60), range = 1 + below(4000);
    for (Intervals& of_node : spans) {
      for (int64_t n = below(5); n > 0; --n) {
        const int64_t begin = below(static_cast<uint64_t>(range));
        of_node.push_back({begin, begin + 1 + below(static_cast<uint64_t>(length))});
      }
      of_node = united(of_node);
    }
    if (std::all_of(spans.begin(), spans.end(), [](const Intervals& one) { return one.empty(); })) continue;
    Facts facts = of_nodes(spans, 1 + below(200));
    if (below(4) == 0) facts.wishes.aggregators = 1 + below(6);
    const std::vector<Group> made = groups(facts);
    several += made.size() > 1;
    std::vector<int> seen(spans.size());
    Intervals all;
    int64_t bytes = 0;
    for (const Group& group : made) {
      ASSERT_TRUE(std::is_sorted(group.nodes.begin(), group.nodes.end())) << i;
      ASSERT_FALSE(group.spans.empty()) << i;
      for (const int node : group.nodes) {
        ++seen[static_cast<size_t>(node)];
        const Intervals& its = spans[static_cast<size_t>(node)];
        ASSERT_EQ(intersection(its, group.spans), its) << i;
      }
      ASSERT_EQ(united(group.spans), group.spans) << i;
      all.insert(all.end(), group.spans.begin(), group.spans.end());
      bytes += group.data_bytes;
    }
    for (size_t node = 0; node < spans.size(); ++node)
      ASSERT_EQ(seen[node], spans[node].empty() ? 0 : 1) << i;
    ASSERT_EQ(united(all), call_spans(facts)) << i;
    ASSERT_EQ(total_bytes(all), total_bytes(call_spans(facts))) << i;  // disjoint
    ASSERT_EQ(bytes, facts.digest.bytes) << i;
    if (facts.wishes.aggregators > 0) {
      ASSERT_LE(static_cast<int64_t>(made.size()), facts.wishes.aggregators);
    }
    for (size_t g = 1; g < made.size(); ++g)
      ASSERT_LT(made[g - 1].spans.front().begin, made[g].spans.front().begin) << i;
  }
  EXPECT_GT(several, test::cases(2000));
}

// The second and the third node have data in one stripe, the others begin with stripes of their own.
TEST(Groups, OfWholeStripesShareNone) {
  Facts facts = of_nodes({{{0, 4 * MiB}},
                          {{4 * MiB, 7 * MiB + 512 * KiB}},
                          {{7 * MiB + 512 * KiB, 12 * MiB}},
                          {{12 * MiB, 16 * MiB}}});
  facts.storage.stripe_bytes = MiB;
  EXPECT_EQ(members(facts), (Nodes{{0}, {1}, {2}, {3}}));
  facts.trial.whole_stripes = true;
  EXPECT_EQ(members(facts), (Nodes{{0}, {1, 2}, {3}}));
}

}  // namespace
}  // namespace concilio::plan::groups_test
