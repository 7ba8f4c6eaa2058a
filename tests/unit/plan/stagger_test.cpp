#include "plan/layout/stagger.h"

#include <gtest/gtest.h>

#include <map>

#include "plan/layout/windows.h"
#include "plan/plan.h"
#include "unit/plan_facts.h"

namespace concilio::plan::stagger_test {
namespace {

constexpr int64_t MiB = 1 << 20;

// A file over 16 targets. All realms have 96 MiB, so they begin on the same target.
Facts on_targets(int nodes, int64_t window_bytes) {
  Facts facts = test::interleaved(Operation::write, nodes, 65536, 96 * MiB);
  facts.nodes = test::make_nodes(nodes, 1);
  facts.storage.kind = StorageFacts::Kind::parallel;
  facts.storage.stripe_bytes = MiB;
  facts.storage.stripe_targets = 16;
  facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
  facts.wishes.window_bytes = window_bytes;
  facts.wishes.memory_limit_bytes = 1024 * MiB;
  facts.wishes.aggregators = nodes;
  return facts;
}

// How many of the first windows touch each target, at most and at least.
std::pair<int, int> most_and_least_of_targets(const Plan& plan) {
  std::map<int64_t, int> touched;
  for (int64_t target = 0; target < 16; ++target) touched[target] = 0;
  for (const Realm& realm : plan.realms) {
    for (const pattern::Interval part : window(realm, 0)) {
      for (int64_t at = part.begin; at < part.end; at += MiB) ++touched[at / MiB % 16];
    }
  }
  const auto [least, most] = std::minmax_element(
      touched.begin(), touched.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return {most->second, least->second};
}

TEST(Stagger, AggregatorsBeginOnAllTargetsEvenly) {
  for (const auto& [window_mib, most, least] : {std::tuple{1, 1, 1}, {2, 2, 2}, {4, 4, 4}}) {
    const Plan made = plan(on_targets(16, window_mib * MiB));
    ASSERT_EQ(made.realms.size(), 16u);
    EXPECT_EQ(most_and_least_of_targets(made), (std::pair{most, least})) << window_mib;
  }
  const auto [most, least] = most_and_least_of_targets(plan(on_targets(10, 4 * MiB)));
  EXPECT_LE(most, 3);
  EXPECT_GE(least, 1);
}

TEST(Stagger, RealmsThatAreAskedForByNameGoInOrder) {
  Facts facts = on_targets(4, MiB);
  for (const RealmPolicy policy : {RealmPolicy::even, RealmPolicy::aligned, RealmPolicy::persistent}) {
    facts.wishes.realms = policy;
    for (const Realm& realm : plan(facts).realms) EXPECT_EQ(realm.start, 0);
  }
  facts.wishes.realms = RealmPolicy::tree;
  EXPECT_GT(plan(facts).realms.back().start, 0);
}

TEST(Stagger, WithoutStripesNothingMoves) {
  Facts facts = on_targets(4, MiB);
  facts.storage.stripe_targets = 1;
  for (const Realm& realm : plan(facts).realms) EXPECT_EQ(realm.start, 0);
}

TEST(Stagger, EveryWindowComesOnce) {
  Facts facts = on_targets(5, 3 * MiB);
  facts.digest.first = MiB / 2;  // the first window of a realm is a short one
  for (const Realm& realm : plan(facts).realms) {
    std::map<int64_t, int64_t> windows;
    for (int64_t round = 0; round < rounds_of(realm); ++round) {
      for (const pattern::Interval part : window(realm, round)) windows[part.begin] = part.end;
    }
    int64_t at = realm.positions.front().begin;
    for (const auto& [begin, end] : windows) {
      EXPECT_EQ(begin, at);
      at = end;
    }
    EXPECT_EQ(at, realm.positions.back().end);
  }
}

}  // namespace
}  // namespace concilio::plan::stagger_test
