#include "plan/layout/windows.h"
#include "pattern/coverage_map.h"

#include <gtest/gtest.h>

#include "plan/facts/spans.h"
#include "plan/layout/footprint.h"
#include "plan/plan.h"
#include "unit/plan_facts.h"

namespace concilio::plan::windows_test {
namespace {

using Intervals = std::vector<pattern::Interval>;

constexpr int64_t KiB = 1 << 10, MiB = 1 << 20;

// One rank on each node, and 64 MiB of a file in 64-byte blocks that alternate. Windows of 4 MiB are asked
// for.
Facts hosts_with(const std::vector<int64_t>& free_mib) {
  const auto nodes = static_cast<int>(free_mib.size());
  Facts facts = test::interleaved(Operation::write, nodes, 64, 64 * MiB / nodes / 64 * 64);
  facts.nodes = test::make_nodes(nodes, 1);
  for (size_t node = 0; node < free_mib.size(); ++node) facts.nodes[node].free_bytes = free_mib[node] * MiB;
  facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
  facts.wishes.realms = RealmPolicy::even;
  facts.wishes.placement = Placement::first;
  facts.wishes.window_bytes = 4 * MiB;
  facts.wishes.memory_limit_bytes = 1024 * MiB;
  facts.wishes.exchange = ExchangeWish::images;
  return facts;
}

std::vector<int64_t> window_sizes(const Plan& plan) {
  std::vector<int64_t> out;
  for (const Realm& realm : plan.realms) out.push_back(realm.window_bytes);
  return out;
}

TEST(WindowSizes, AreAsWishedWhereAllHaveMemory) {
  EXPECT_EQ(window_sizes(plan(hosts_with({1024, 1024}))), (std::vector<int64_t>{4 * MiB, 4 * MiB}));
}

TEST(WindowSizes, DifferWithTheHostsMemory) {
  const Facts facts = hosts_with({1024, 16, 1024});
  const Plan made = plan(facts);
  const std::vector<int64_t> sizes = window_sizes(made);
  ASSERT_EQ(sizes.size(), 3u);
  EXPECT_EQ(sizes[0], sizes[2]);
  EXPECT_LT(sizes[1], sizes[0]);
  EXPECT_GE(sizes[1], sizes[0] / 4);
  EXPECT_LT(sizes[0], 4 * MiB);  // the host with little memory holds images of all windows
  EXPECT_LE(node_bytes(made, 1), 8 * MiB);
  EXPECT_GT(node_bytes(made, 1), 7 * MiB);
}

TEST(WindowSizes, OfTheRicherAreNotBoundByWhatThePoorNeedsForItself) {
  // The windows and the staging memory of the host with little memory shrink first, and those of the others
  // follow.
  const int64_t beside_poor = window_sizes(plan(hosts_with({1024, 16})))[0];
  Facts alike = hosts_with({16, 16});
  EXPECT_GT(beside_poor, window_sizes(plan(alike))[0]);
}

TEST(WindowSizes, AreWholeUnitsWhereTheLimitCutsThemShort) {
  Facts facts = hosts_with({1024, 16});
  for (const int64_t unit : {int64_t{100} * KiB, int64_t{1000}}) {
    facts.wishes.alignment_bytes = unit;
    for (const int64_t bytes : window_sizes(plan(facts))) {
      EXPECT_LT(bytes, 4 * MiB);
      EXPECT_EQ(bytes % unit, 0) << bytes;
    }
  }
}

// What storage has to wait for is no longer than what the exchange may be done beside. Realms of 9 MiB, in
// windows of 4 MiB.
TEST(WindowSizes, TheFirstOfAWriteIsNoLongerThanTheLast) {
  const auto lengths = [](Operation operation, bool pipelining, int64_t unit_bytes) {
    Facts facts = hosts_with({1024, 1024});
    facts.operation = operation;
    facts.digest.bytes = facts.digest.end = 18 * MiB;
    facts.storage.kind = StorageFacts::Kind::parallel;
    facts.wishes.alignment_bytes = unit_bytes;
    facts.wishes.pipelining = pipelining;
    const Plan made = plan(facts);
    EXPECT_EQ(made.realms.size(), 2u);
    Intervals parts;
    std::vector<int64_t> found;
    int64_t at = made.realms[0].positions.front().begin;
    for (int64_t round = 0; round < rounds_of(made.realms[0]); ++round) {
      window(made.realms[0], round, parts);
      found.push_back(total_bytes(parts));
      EXPECT_EQ(found.back(), window_length(made.realms[0], round));
      EXPECT_EQ(parts.front().begin, at);
      at = parts.back().end;
    }
    EXPECT_EQ(at, made.realms[0].positions.back().end);
    return found;
  };
  using Lengths = std::vector<int64_t>;
  EXPECT_EQ(lengths(Operation::write, true, MiB), (Lengths{2 * MiB, 4 * MiB, 3 * MiB}));
  EXPECT_EQ(lengths(Operation::write, true, 4 * MiB), (Lengths{4 * MiB, 4 * MiB}));
  EXPECT_EQ(lengths(Operation::write, false, MiB), (Lengths{4 * MiB, 4 * MiB, MiB}));
  EXPECT_EQ(lengths(Operation::read, true, MiB), (Lengths{4 * MiB, 4 * MiB, MiB}));
}

TEST(WindowSizes, AreNeverBelowAQuarterOfTheLargestBesideThem) {
  std::mt19937_64 random(61);
  int different = 0;
  for (int i = 0; i < test::cases(20000); ++i) {
    test::RandomCall call = test::random_call(random);
    call.facts.wishes.exchange = ExchangeWish::images;
    for (NodeFacts& node : call.facts.nodes) {
      if (random() % 2) node.free_bytes = static_cast<int64_t>(random() % (int64_t{64} * MiB));
    }
    const Plan made = plan(call.facts);
    for (const Group& group : made.groups) {
      int64_t largest = 0;
      for (int r = group.first_realm; r < group.end_realm; ++r)
        largest = std::max(largest, made.realms[static_cast<size_t>(r)].window_bytes);
      for (int r = group.first_realm; r < group.end_realm; ++r) {
        const Realm& realm = made.realms[static_cast<size_t>(r)];
        if (rounds_of(realm) == 1) continue;  // more would have no effect
        different += realm.window_bytes < largest;
        ASSERT_TRUE(realm.window_bytes >= largest / 4 || realm.window_bytes <= 4096)
            << i << ": " << realm.window_bytes << " beside " << largest << ", alignment " << realm.alignment;
      }
    }
  }
  EXPECT_GT(different, test::cases(1000));
}

// A poor host has no windows, so nearly all its memory goes into parcels; a host with windows keeps a part.
TEST(Parcels, TakeMostOfTheMemoryOfAHostWithoutWindows) {
  std::vector<int64_t> memory(10, 4096);
  memory[3] = 1;
  Facts facts = hosts_with(memory);
  facts.nodes[3].free_bytes = 200 * KiB;
  facts.wishes.exchange = ExchangeWish::descriptions;
  facts.wishes.placement = Placement::memory;
  facts.wishes.realms = RealmPolicy::tree;
  facts.wishes.memory_limit_bytes = 8 * MiB;
  const Plan made = plan(facts);
  ASSERT_EQ(made.exchange, ExchangeStrategy::descriptions);
  ASSERT_EQ(made.realms.size(), 9u);
  EXPECT_LE(node_bytes(made, 3), 100 * KiB);
  EXPECT_GE(node_bytes(made, 3), 70 * KiB);
  EXPECT_GE(made.parcel_bytes[3], 35 * KiB);
  EXPECT_EQ(made.parcel_bytes[0], 512 * KiB);
}

// All windows of a realm, one after another in the file.
void expect_tiles(const Realm& realm, int64_t most_rounds) {
  Intervals joined;
  int64_t bytes = 0;
  const int64_t rounds = rounds_of(realm);
  for (int64_t number = 0; number < std::min(rounds, most_rounds); ++number) {
    const Intervals parts = window(realm, (number + rounds - realm.start) % rounds);
    ASSERT_FALSE(parts.empty());
    ASSERT_LE(total_bytes(parts), realm.window_bytes);
    ASSERT_LE(static_cast<int64_t>(parts.size()),
              most_window_parts + static_cast<int64_t>(realm.positions.size()) + 1);
    for (const pattern::Interval& part : parts) {
      ASSERT_FALSE(part.empty());
      if (!joined.empty()) {
        ASSERT_GE(part.begin, joined.back().end);
      }
      if (!joined.empty() && part.begin == joined.back().end) {
        joined.back().end = part.end;
      } else {
        joined.push_back(part);
      }
      // The windows contain exactly the bytes of the realm.
      ASSERT_EQ(realm.owned.data_before(part.end) - realm.owned.data_before(part.begin), part.length());
      bytes += part.length();
    }
  }
  if (rounds > most_rounds) return;
  ASSERT_TRUE(window(realm, rounds).empty());
  ASSERT_EQ(bytes, realm.bytes);
  Intervals positions;
  for (const pattern::Interval& part : joined)
    positions.push_back({realm.owned.data_before(part.begin), realm.owned.data_before(part.end)});
  ASSERT_EQ(united(positions), united(realm.positions));
}

TEST(WindowsOfRealmsWithHoles, TileTheirBytesInOrder) {
  std::mt19937_64 random(62);
  int whole = 0;
  for (int i = 0; i < test::cases(1500); ++i) {
    test::RandomCall call = test::random_call(random);
    Wishes& wishes = call.facts.wishes;
    wishes.realms = random() % 2 ? RealmPolicy::cyclic : RealmPolicy::persistent;
    const int64_t range = call.facts.digest.end - call.facts.digest.first;
    wishes.realm_block_bytes = 1 + range / 3000 + static_cast<int64_t>(random() % 100);
    for (const Realm& realm : plan(call.facts).realms) {
      ASSERT_NO_FATAL_FAILURE(expect_tiles(realm, 300)) << i;
      whole += rounds_of(realm) <= 300;
    }
  }
  EXPECT_GT(whole, test::cases(1000));
}

TEST(WindowsOfRealmsWithHoles, OfTinyBlocksHoldAsManyAsAWindowMay) {
  Facts facts = hosts_with({1024, 1024});
  facts.wishes.realms = RealmPolicy::cyclic;
  facts.wishes.realm_block_bytes = 3;
  const Plan made = plan(facts);
  ASSERT_EQ(made.realms.size(), 2u);
  EXPECT_EQ(made.realms[0].window_bytes, 3 * most_window_parts);
  EXPECT_EQ(static_cast<int64_t>(window(made.realms[1], 0).size()), most_window_parts);
  EXPECT_EQ(window(made.realms[1], 0).front(), (pattern::Interval{3, 6}));
}

TEST(MovedPlans, RealmsStayAlignedIfTheShiftIs) {
  Facts facts = hosts_with({1024, 1024});
  facts.wishes.realms = RealmPolicy::aligned;
  facts.wishes.alignment_bytes = 1000;
  const Plan made = plan(facts);
  EXPECT_TRUE(stays_aligned(made, 0));
  EXPECT_TRUE(stays_aligned(made, 3000));
  EXPECT_TRUE(stays_aligned(made, -3000));
  EXPECT_FALSE(stays_aligned(made, 3001));
}

TEST(MovedPlans, RealmsOfTheFileNeverMove) {
  for (const RealmPolicy policy : {RealmPolicy::cyclic, RealmPolicy::persistent}) {
    Facts facts = hosts_with({1024, 1024});
    facts.wishes.realms = policy;
    const Plan made = plan(facts);
    EXPECT_FALSE(stays_aligned(made, 64 * MiB));
    EXPECT_TRUE(stays_aligned(made, 0));
  }
}

TEST(MovedPlans, AreThePlansOfMovedCalls) {
  std::mt19937_64 random(63);
  for (int i = 0; i < test::cases(2000); ++i) {
    test::RandomCall call = test::random_call(random);
    call.facts.wishes.realms = random() % 2 ? RealmPolicy::even : RealmPolicy::tree;
    const Plan before = plan(call.facts);
    const auto shift = static_cast<int64_t>(random() % 100000);
    Plan made = before;
    move(made, shift);
    ASSERT_EQ(made.granule.granule, before.granule.granule);
    ASSERT_EQ((made.granule.anchor - before.granule.anchor - shift) % made.granule.granule, 0) << i;
    int64_t rounds = 0;
    for (size_t r = 0; r < made.realms.size(); ++r) {
      const Realm& realm = made.realms[r];
      Intervals expected = before.realms[r].positions;
      for (pattern::Interval& stretch : expected) stretch = {stretch.begin + shift, stretch.end + shift};
      ASSERT_EQ(realm.positions, expected) << i;
      ASSERT_NO_FATAL_FAILURE(expect_tiles(realm, 50)) << i;
      ASSERT_EQ(rounds_of(realm), rounds_of(before.realms[r])) << i;
      for (int64_t round = 0; round < std::min<int64_t>(3, rounds_of(realm)); ++round) {
        Intervals parts = window(before.realms[r], round);
        for (pattern::Interval& part : parts) part = {part.begin + shift, part.end + shift};
        ASSERT_EQ(window(realm, round), parts) << i;
      }
      rounds = std::max(rounds, rounds_of(realm));
    }
    ASSERT_EQ(made.rounds, rounds) << i;
    for (size_t g = 0; g < made.groups.size(); ++g) {
      ASSERT_EQ(made.groups[g].spans.front().begin, before.groups[g].spans.front().begin + shift) << i;
    }
  }
}

// The coverage maps of a window's parts, one after another, as exec/windows/images.h lays them out.
int64_t maps_needed(const Plan& plan, const Realm& realm, int64_t round) {
  int64_t bytes = 0;
  for (const pattern::Interval& part : window(realm, round))
    bytes += pattern::CoverageMap::bytes_needed(part.length(), plan.granule.granule);
  return bytes;
}

TEST(Maps, HaveRoomForPartsCutAtBothEndsOfManyStretches) {
  // Each stretch is slightly longer than a block, so that it begins and ends within a block.
  for (const int64_t block_bytes : {int64_t{8192}, int64_t{1} << 20}) {
    Facts facts = test::interleaved(Operation::write, 2, 64, 128 * block_bytes);
    facts.digest.granule = 64;
    facts.digest.first = block_bytes - 64;
    facts.digest.end = facts.digest.first + 127 * 2 * block_bytes + block_bytes + 128;
    facts.digest.bytes = 128 * (block_bytes + 128);
    for (int64_t i = 0; i < 128; ++i) {
      const int64_t begin = facts.digest.first + i * 2 * block_bytes;
      facts.buckets.push_back({begin, begin + block_bytes + 128, block_bytes + 128});
    }
    facts.wishes.realms = RealmPolicy::cyclic;
    facts.wishes.realm_block_bytes = block_bytes;
    facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
    const Plan made = plan(facts);
    ASSERT_EQ(made.realms.size(), 2u);
    for (const Realm& realm : made.realms) {
      for (int64_t round = 0; round < rounds_of(realm); ++round)
        ASSERT_LE(maps_needed(made, realm, round), realm.map_bytes) << block_bytes << ' ' << round;
    }
  }
}

// Two nodes of two ranks each, whose pieces alternate, so that half of each window comes from the other node.
Facts exchanged(Operation operation, int64_t bytes_a_rank) {
  Facts facts = test::interleaved(operation, 4, 64, bytes_a_rank);
  facts.nodes = test::make_nodes(2, 2);
  facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
  facts.wishes.window_bytes = MiB;
  return facts;
}

TEST(WindowMemory, OfARealmWithOneWindowIsHeldOnce) {
  for (const Operation operation : {Operation::write, Operation::read}) {
    const Plan one = plan(exchanged(operation, MiB / 2)), more = plan(exchanged(operation, 4 * MiB));
    ASSERT_EQ(one.rounds, 1);
    ASSERT_GT(more.rounds, 1);
    ASSERT_EQ(one.window_bytes, more.window_bytes);
    const auto parcels = [&](const Plan& made) { return made.staging_bytes - made.told_bytes; };
    EXPECT_LE(2 * parcels(one), parcels(more) + 64);
    EXPECT_GE(more.segment_bytes - one.segment_bytes, MiB);
  }
}

TEST(WindowMemory, LeavesNoRoomForOldBytesWhereThereAreNoHoles) {
  Facts facts = exchanged(Operation::write, 4 * MiB);
  const Plan dense = plan(facts);
  EXPECT_FALSE(dense.may_have_holes);
  facts.digest.bytes -= 64;
  const Plan with_holes = plan(facts);
  EXPECT_TRUE(with_holes.may_have_holes);
  EXPECT_EQ(with_holes.staging_bytes, dense.staging_bytes + dense.window_bytes);
}

TEST(WindowMemory, ForDescriptionsFollowsFromTheLargestGroup) {
  // Each node has a part of the file for itself, or all have it together.
  Facts facts = test::contiguous(Operation::write, 32, 8 * MiB);
  facts.nodes = test::make_nodes(16, 2);
  facts.digest.description_bytes = KiB;
  facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
  for (int64_t node = 0; node < 16; ++node) {
    facts.nodes[static_cast<size_t>(node)].spans = {{node * 16 * MiB, (node + 1) * 16 * MiB}};
    facts.nodes[static_cast<size_t>(node)].bytes = 16 * MiB;
  }
  const Plan apart = plan(facts);
  ASSERT_EQ(apart.groups.size(), 16u);
  facts.wishes.groups = false;
  const Plan together = plan(facts);
  ASSERT_EQ(together.groups.size(), 1u);
  EXPECT_EQ(together.told_bytes, 16 * apart.told_bytes);
}

TEST(WindowSizes, ThatMemoryCutsShortAreEqual) {
  Facts facts = test::interleaved(Operation::write, 4, 64, 10 * MiB);
  facts.wishes.aggregators = 1;
  facts.wishes.window_bytes = 64 * MiB;
  facts.wishes.memory_limit_bytes = 8 * MiB;
  const Plan made = plan(facts);
  ASSERT_EQ(made.realms.size(), 1u);
  ASSERT_GT(made.rounds, 1);
  const int64_t last = made.realms[0].bytes - (made.rounds - 1) * made.window_bytes;
  EXPECT_GT(last, made.window_bytes - made.rounds * 4 * KiB);
}

}  // namespace
}  // namespace concilio::plan::windows_test
