#include "plan/layout/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "plan/facts/spans.h"
#include "unit/plan_facts.h"

namespace concilio::plan::placement_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Intervals = std::vector<pattern::Interval>;

constexpr int64_t MiB = 1 << 20;

// Nodes of 4 candidates (node n has ranks 4n to 4n + 3) with these amounts of memory in MiB. At least 10 are
// needed.
Facts hosts_with(const std::vector<int64_t>& free_mib, int64_t aggregators_per_node = 4) {
  Facts facts = test::contiguous(Operation::write, 4 * static_cast<int>(free_mib.size()));
  facts.nodes = test::make_nodes(static_cast<int>(free_mib.size()), 4);
  for (size_t node = 0; node < free_mib.size(); ++node) facts.nodes[node].free_bytes = free_mib[node] * MiB;
  facts.wishes.memory_min_bytes = 10 * MiB;
  facts.wishes.aggregators_per_node = aggregators_per_node;
  return facts;
}

std::vector<int> all_nodes(const Facts& facts) {
  std::vector<int> out;
  for (size_t node = 0; node < facts.nodes.size(); ++node) out.push_back(static_cast<int>(node));
  return out;
}

TEST(AggregatorsOfANode, AreAsManyAsWereMeasuredWhereNodesHoldNoImagesOfEachOther) {
  Facts facts = hosts_with({100, 100}, 0);
  const auto most = [&] { return aggregators_per_node(facts, facts.nodes[0], facts.nodes.size()); };
  EXPECT_EQ(most(), 1);
  facts.storage.aggregators_per_node = 3;
  EXPECT_EQ(most(), 3);
  facts.wishes.exchange = ExchangeWish::images;
  EXPECT_EQ(most(), 1);
  facts.wishes.aggregators_per_node = 2;
  EXPECT_EQ(most(), 2);
}

// The nodes of the aggregators that realms of these sizes get.
std::vector<int> placed(const Facts& facts, Placement placement, const std::vector<Intervals>& realms) {
  Hosts hosts(facts, all_nodes(facts), false);
  std::vector<int> out;
  for (const Aggregator& one : placement_row(placement).place(hosts, realms)) out.push_back(one.node);
  return out;
}
std::vector<int> placed(const Facts& facts, Placement placement, size_t realms) {
  return placed(facts, placement, std::vector<Intervals>(realms, {{0, 1}}));
}

TEST(PlacementTable, IsInTheOrderOfPlacement) {
  for (const Placement placement : {Placement::memory, Placement::spread, Placement::first})
    EXPECT_EQ(placement_row(placement).placement, placement);
  EXPECT_EQ(placement_rows().size(), 3u);
}

TEST(PlacementByMemory, TakesTheRichestOfTheHostsThatHaveTakenOnFewest) {
  struct Row {
    const char* situation;
    std::vector<int64_t> free_mib;
    size_t realms;
    std::vector<int> nodes;
  };
  const Row rows[] = {
      {"the richest", {20, 90, 40}, 1, {1}},
      {"everybody once before anybody twice", {20, 90, 40}, 5, {1, 2, 0, 1, 2}},
      {"then the richest again", {40, 45, 20}, 4, {1, 0, 2, 1}},
      {"equal ones by index", {50, 50, 50}, 4, {0, 1, 2, 0}},
      {"each needs memory for all it takes on", {1000, 20}, 5, {0, 1, 0, 1, 0}},
  };
  for (const Row& row : rows)
    EXPECT_EQ(placed(hosts_with(row.free_mib), Placement::memory, row.realms), row.nodes) << row.situation;
}

TEST(PlacementByMemory, LooksAmongTheHostsWithDataInTheRealm) {
  Facts facts = hosts_with({90, 50, 20});
  facts.nodes[0].spans = {{0, 10}};
  facts.nodes[1].spans = {{10, 20}, {50, 60}};
  facts.nodes[2].spans = {{10, 30}};
  const auto nodes = [&](const Intervals& bytes) { return placed(facts, Placement::memory, {bytes}); };
  EXPECT_THAT(nodes({{0, 60}}), ElementsAre(0));
  EXPECT_THAT(nodes({{10, 60}}), ElementsAre(1));
  EXPECT_THAT(nodes({{20, 50}}), ElementsAre(2));
  EXPECT_THAT(nodes({{25, 26}, {59, 60}}), ElementsAre(1));
  // Some node must be chosen, though no node has data there.
  EXPECT_THAT(nodes({{40, 41}}), ElementsAre(0));
}

TEST(PlacementByMemory, HostsBelowTheLeastMemoryServeOnlyWhereNobodyElseCan) {
  Facts facts = hosts_with({9, 30, 8});
  Hosts hosts(facts, all_nodes(facts), false);
  const Intervals anything{{0, 1}};
  std::vector<int> nodes;
  while (const auto one = hosts.with_most_memory(anything)) nodes.push_back(one->node);
  EXPECT_THAT(nodes, ElementsAre(1, 1, 1));  // its 30 MiB are three times what is needed
  EXPECT_EQ(hosts.best_of_all(anything)->node, 0);
  EXPECT_EQ(Hosts(facts, all_nodes(facts), false).most(true), 3);
  EXPECT_EQ(Hosts(facts, all_nodes(facts), false).most(false), 12);
}

TEST(PlacementByMemory, PoorHostWithDataIsPreferredToAPoorOneWithout) {
  Facts facts = hosts_with({9, 5});
  facts.nodes[0].spans = {{0, 10}};
  facts.nodes[1].spans = {{10, 20}};
  EXPECT_THAT(placed(facts, Placement::memory, {{{10, 20}}}), ElementsAre(1));
}

TEST(PlacementByMemory, ExactlyTheLeastMemoryIsEnough) {
  Facts facts = hosts_with({10});
  Hosts hosts(facts, all_nodes(facts), false);
  EXPECT_TRUE(hosts.with_most_memory(Intervals{{0, 1}}));
  EXPECT_FALSE(hosts.with_most_memory(Intervals{{0, 1}}));
}

TEST(Placement, TakesNoMoreOfAHostThanItsLimit) {
  for (const PlacementRow& row : placement_rows()) {
    for (const int64_t limit : {1, 2, 3}) {
      const Facts facts = hosts_with({500, 50, 5}, limit);
      std::map<int, int64_t> taken;
      for (const int node : placed(facts, row.placement, 20)) ++taken[node];
      EXPECT_EQ(taken, (std::map<int, int64_t>{{0, limit}, {1, limit}, {2, limit}})) << row.name;
    }
  }
}

TEST(Placement, LimitPerNodeWithoutAWish) {
  Facts facts = hosts_with({50, 50}, 0);
  const NodeFacts& node = facts.nodes[0];
  facts.cores_per_node = 3;
  EXPECT_EQ(aggregators_per_node(facts, node, 2), 1);
  EXPECT_EQ(aggregators_per_node(facts, node, 1), 3);
  facts.wishes.aggregators = 2;
  EXPECT_EQ(aggregators_per_node(facts, node, 2), 4);
  facts.wishes.aggregators_per_node = 9;
  EXPECT_EQ(aggregators_per_node(facts, node, 2), 4);
  facts.wishes.aggregators_per_node = 2;
  EXPECT_EQ(aggregators_per_node(facts, node, 2), 2);
}

// Linux lets one write to a file on tmpfs at a time. All may read, or fill windows that have holes.
TEST(Placement, OneAggregatorWritesForTheOnlyNodeToMemory) {
  Facts facts = hosts_with({50}, 0);
  facts.cores_per_node = 3;
  const auto most = [&] { return aggregators_per_node(facts, facts.nodes[0], 1); };
  EXPECT_EQ(most(), 3);
  facts.storage.kind = StorageFacts::Kind::memory;
  EXPECT_EQ(most(), 1);
  facts.storage.aggregators_per_node = 2;  // measured for reads too
  EXPECT_EQ(most(), 1);
  facts.storage.aggregators_per_node = 0;
  facts.trial.aggregators_per_node = 2;
  EXPECT_EQ(most(), 2);
  facts.trial.aggregators_per_node = 0;
  facts.digest.end += 4096;
  EXPECT_EQ(most(), 3);
  facts.digest.end -= 4096;
  facts.operation = Operation::read;
  EXPECT_EQ(most(), 3);
  facts.operation = Operation::write;
  facts.wishes.aggregators = 2;
  EXPECT_EQ(most(), 4);
  facts.wishes.aggregators_per_node = 3;
  EXPECT_EQ(most(), 3);
}

TEST(PlacementFirst, FillsTheFirstHostsInTurn) {
  const Facts facts = hosts_with({1, 1, 1}, 2);
  EXPECT_THAT(placed(facts, Placement::first, 2), ElementsAre(0, 1));
  EXPECT_THAT(placed(facts, Placement::first, 4), ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(placed(facts, Placement::first, 9), ElementsAre(0, 0, 1, 1, 2, 2));
}

TEST(PlacementSpread, HostsLieEvenlyApart) {
  const Facts facts = hosts_with({1, 1, 1, 1, 1, 1, 1, 1}, 1);
  EXPECT_THAT(placed(facts, Placement::spread, 1), ElementsAre(0));
  EXPECT_THAT(placed(facts, Placement::spread, 2), ElementsAre(0, 4));
  EXPECT_THAT(placed(facts, Placement::spread, 3), ElementsAre(0, 2, 5));
  EXPECT_THAT(placed(facts, Placement::spread, 4), ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(placed(facts, Placement::spread, 8), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(PlacementSpread, HostsThatAreFullLeaveTheRestToTheOthers) {
  Facts facts = hosts_with({1, 1, 1, 1}, 1);
  facts.nodes[2].candidates.clear();
  EXPECT_THAT(placed(facts, Placement::spread, 2), ElementsAre(0, 1));
  EXPECT_THAT(placed(facts, Placement::spread, 4), ElementsAre(0, 1, 3));
}

TEST(Placement, OfNoRealmsOrNoCandidatesIsNobody) {
  Facts facts = hosts_with({50, 50});
  for (const PlacementRow& row : placement_rows()) EXPECT_THAT(placed(facts, row.placement, 0), IsEmpty());
  for (NodeFacts& node : facts.nodes) node.candidates.clear();
  for (const PlacementRow& row : placement_rows()) EXPECT_THAT(placed(facts, row.placement, 3), IsEmpty());
}

TEST(Placement, UsesTheHostsOfTheGroupAlone) {
  const Facts facts = hosts_with({50, 90, 50, 90});
  const std::vector<int> group{0, 2};
  for (const PlacementRow& row : placement_rows()) {
    Hosts hosts(facts, group, false);
    for (const Aggregator& one : row.place(hosts, std::vector<Intervals>(8, {{0, 1}})))
      EXPECT_TRUE(one.node == 0 || one.node == 2) << row.name;
  }
}

TEST(Placement, NamesEveryRankAtMostOnceAndAsManyAsThereAreWhateverTheHosts) {
  std::mt19937_64 random(41);
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  for (int i = 0; i < 5000; ++i) {
    std::vector<int64_t> free_mib(static_cast<size_t>(1 + below(8)));
    for (int64_t& free : free_mib) free = below(60);
    Facts facts = hosts_with(free_mib, below(5));
    facts.cores_per_node = 1 + below(4);
    for (NodeFacts& node : facts.nodes) {
      node.candidates.resize(static_cast<size_t>(below(5)));
      if (below(3) == 0) continue;
      const int64_t begin = below(100);
      node.spans = {{begin, begin + 1 + below(40)}};
    }
    std::vector<Intervals> realms(static_cast<size_t>(below(25)));
    for (Intervals& bytes : realms) {
      const int64_t begin = below(120);
      bytes = {{begin, begin + 1 + below(20)}};
    }
    for (const PlacementRow& row : placement_rows()) {
      Hosts hosts(facts, all_nodes(facts), false);
      const auto room = static_cast<size_t>(hosts.most(false));
      const std::vector<Aggregator> made = row.place(hosts, realms);
      ASSERT_EQ(made.size(), std::min(room, realms.size())) << row.name << i;
      std::set<int> ranks;
      std::map<int, int64_t> taken;
      for (const Aggregator& one : made) {
        const NodeFacts& node = facts.nodes[static_cast<size_t>(one.node)];
        ASSERT_TRUE(ranks.insert(one.rank).second) << row.name << i;
        ASSERT_THAT(node.candidates, ::testing::Contains(one.rank)) << row.name << i;
        ASSERT_LE(++taken[one.node], aggregators_per_node(facts, node, facts.nodes.size())) << row.name << i;
      }
    }
  }
}

// What Hosts does, by looking at every host each time.
class PlainHosts {
 public:
  PlainHosts(const Facts& facts, int64_t of_each)
      : facts_(facts), of_each_(of_each), taken_(facts.nodes.size()) {}

  std::optional<int> with_most_memory(const Intervals& bytes) {
    const bool last_may = last_ && taken_[*last_] % of_each_ != 0 && has_data(*last_, bytes);
    const std::optional<size_t> found = best([&](size_t i) { return fits(i) && has_data(i, bytes); });
    return take(last_may && found && taken_[*found] > 0 ? last_ : found);
  }
  std::optional<int> best_of_all(const Intervals& bytes) {
    const std::optional<size_t> found = best([&](size_t i) { return has_data(i, bytes); });
    return take(found ? found : best([](size_t) { return true; }));
  }

 private:
  int64_t candidates(size_t i) const {
    return aggregators_per_node(facts_, facts_.nodes[i], facts_.nodes.size());
  }
  bool has_data(size_t i, const Intervals& bytes) const { return intersect(facts_.nodes[i].spans, bytes); }
  bool fits(size_t i) const {
    const bool anybody = std::any_of(facts_.nodes.begin(), facts_.nodes.end(), [&](const NodeFacts& node) {
      return node.free_bytes >= least_memory(facts_);
    });
    return !anybody || facts_.nodes[i].free_bytes / least_memory(facts_) > taken_[i] / of_each_;
  }
  template <typename Suits>
  std::optional<size_t> best(Suits&& suits) const {
    std::optional<size_t> best;
    const auto rank = [&](size_t i) { return std::tuple(taken_[i], -facts_.nodes[i].free_bytes, i); };
    for (size_t i = 0; i < taken_.size(); ++i) {
      if (taken_[i] < candidates(i) * of_each_ && suits(i) && (!best || rank(i) < rank(*best))) best = i;
    }
    return best;
  }
  std::optional<int> take(std::optional<size_t> i) {
    if (!i) return {};
    last_ = i;
    ++taken_[*i];
    return static_cast<int>(*i);
  }
  const Facts& facts_;
  int64_t of_each_;
  std::vector<int64_t> taken_;
  std::optional<size_t> last_;
};

TEST(Placement, ByMemoryIsThatOfLookingAtEveryHost) {
  std::mt19937_64 random(16);
  const auto below = [&](int64_t most) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(most));
  };
  for (int round = 0; round < test::cases(200); ++round) {
    std::vector<int64_t> free_mib(static_cast<size_t>(1 + below(round % 8 == 0 ? 160 : 12)));
    const int64_t kinds = 1 + below(60);
    for (int64_t& mib : free_mib) mib = below(kinds);
    Facts facts = hosts_with(free_mib, 1 + below(4));
    const bool side_by_side = below(2) == 0;
    const int64_t places = std::ssize(facts.nodes) * 10;
    for (size_t node = 0; node < facts.nodes.size(); ++node) {
      Intervals& spans = facts.nodes[node].spans;
      if (side_by_side) {
        spans = {{static_cast<int64_t>(node) * 10, static_cast<int64_t>(node) * 10 + 1 + below(10)}};
      } else {
        for (int64_t i = 0, at = below(places), count = 1 + below(3); i < count; ++i, at += 1 + below(places))
          spans.push_back({at, at + 1 + below(5)}), at = spans.back().end;
      }
    }
    const int64_t of_each = 1 + below(3);
    Hosts hosts(facts, all_nodes(facts), false);
    hosts.allow_portions(of_each);
    PlainHosts plain(facts, of_each);
    for (int64_t i = 0; i < 3 * std::ssize(facts.nodes); ++i) {
      const int64_t begin = below(places);
      const Intervals bytes = {{begin, begin + 1 + below(20)}, {begin + 30, begin + 31 + below(20)}};
      const bool any = below(3) == 0;
      const std::optional<Aggregator> found = any ? hosts.best_of_all(bytes) : hosts.with_most_memory(bytes);
      const std::optional<int> expected = any ? plain.best_of_all(bytes) : plain.with_most_memory(bytes);
      ASSERT_EQ(found ? std::optional(found->node) : std::nullopt, expected)
          << "round " << round << ", " << i;
    }
  }
}

// How many of 24 portions each host takes on, in the order in which they are asked.
std::map<int, int> shares_of(const Facts& facts) {
  Hosts hosts(facts, all_nodes(facts), false);
  hosts.allow_portions_by_memory(24, 24);
  std::map<int, int> shares;
  for (int i = 0; i < 24; ++i) {
    if (const auto found = hosts.with_most_memory({}, true)) ++shares[found->node];
  }
  return shares;
}

TEST(PortionsByMemory, AreInProportionToWhatWindowsTake) {
  Facts facts = hosts_with({60, 30, 30}, 1);
  for (NodeFacts& node : facts.nodes) node.spans.clear();
  facts.trial.window_bytes = 16 * MiB;
  EXPECT_EQ(shares_of(facts), (std::map<int, int>{{0, 12}, {1, 6}, {2, 6}}));
  // Windows of 1 MiB need no more than 16.
  facts.trial.window_bytes = 0;
  EXPECT_EQ(shares_of(facts), (std::map<int, int>{{0, 8}, {1, 8}, {2, 8}}));
}

TEST(PortionsByMemory, LieWithHostsThatHaveMemoryForAggregators) {
  Facts facts = hosts_with({60, 5, 20}, 4);  // for 4, none and 2
  for (NodeFacts& node : facts.nodes) node.spans.clear();
  facts.trial.window_bytes = 16 * MiB;
  EXPECT_EQ(shares_of(facts), (std::map<int, int>{{0, 18}, {2, 6}}));
}

}  // namespace
}  // namespace concilio::plan::placement_test
