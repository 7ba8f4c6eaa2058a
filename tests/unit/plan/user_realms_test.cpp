#include "plan/facts/user_realms.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "plan/layout/realms.h"
#include "plan/layout/windows.h"
#include "plan/plan.h"
#include "unit/plan_facts.h"

namespace concilio::plan::user_realms_test {
namespace {

struct Block {
  int64_t offset, bytes;
};

GivenRealm realm_of(const std::vector<Block>& blocks, int64_t extent, int64_t displacement = 0) {
  std::vector<int64_t> offsets, lengths;
  for (const Block& block : blocks) {
    offsets.push_back(block.offset);
    lengths.push_back(block.bytes);
  }
  const pattern::DataType type = type_hindexed(lengths, offsets, pattern::type_bytes(1)).value();
  return {type_resized(type, 0, extent).value(), displacement};
}
// Block `i` of every `count` blocks.
GivenRealm dealt(int64_t block, int64_t count, int64_t i) {
  return realm_of({{0, block}}, count * block, i * block);
}

std::string refusal(const std::vector<GivenRealm>& realms) {
  const auto checked = check_realms(realms);
  if (checked) return "accepted";
  EXPECT_EQ(checked.error().kind, ErrorKind::datatype);
  return checked.error().message;
}
void expect_in(const std::string& part, const std::string& text) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(UserRealms, CyclicBlocks) {
  const auto checked = check_realms(std::vector{dealt(1000, 3, 0), dealt(1000, 3, 1), dealt(1000, 3, 2)});
  ASSERT_TRUE(checked.ok());
  EXPECT_EQ(checked->owned.size(), 3u);
  EXPECT_TRUE(checked->aggregators.empty());
  EXPECT_EQ(checked->policy, RealmPolicy::user);
  EXPECT_EQ(checked->piece_bytes, 1000);
  EXPECT_EQ(checked->alignment, 8);
}

TEST(UserRealms, BordersAtPagesAreAligned) {
  const auto checked = check_realms(std::vector{dealt(12288, 2, 0), dealt(12288, 2, 1)});
  ASSERT_TRUE(checked.ok());
  EXPECT_EQ(checked->piece_bytes, 12288);
  EXPECT_EQ(checked->alignment, 4096);
}

TEST(UserRealms, AlignmentStaysAsSmallAsWindows) {
  const int64_t huge = int64_t{1} << 40;
  const auto checked = check_realms(std::vector{dealt(huge, 2, 0), dealt(huge, 2, 1)});
  ASSERT_TRUE(checked.ok());
  EXPECT_EQ(checked->alignment, 1 << 20);
  EXPECT_EQ(checked->piece_bytes, huge);
}

TEST(UserRealms, OneRealmOwnsAll) {
  const auto checked = check_realms(std::vector{realm_of({{0, 5}, {5, 3}}, 8)});
  ASSERT_TRUE(checked.ok());
  ASSERT_EQ(checked->owned.size(), 1u);
  EXPECT_TRUE(checked->owned[0].is_contiguous());
}

TEST(UserRealms, PiecesThatContinueEachOtherAreOne) {
  const auto checked = check_realms(std::vector{realm_of({{0, 16}, {16, 16}}, 96), realm_of({{32, 64}}, 96)});
  ASSERT_TRUE(checked.ok());
  EXPECT_EQ(checked->piece_bytes, 32);
}

TEST(UserRealms, PieceAcrossTheBorderOfTilesIsOne) {
  const auto checked = check_realms(std::vector{realm_of({{0, 4}, {20, 12}}, 32), realm_of({{4, 16}}, 32)});
  ASSERT_TRUE(checked.ok());
  EXPECT_EQ(checked->piece_bytes, 16);
  EXPECT_EQ(checked->alignment, 4);
}

TEST(UserRealms, NoPeriodIsTooLong) {
  const int64_t half = INT64_MAX / 4;
  const auto checked = check_realms(std::vector{dealt(half, 2, 0), dealt(half, 2, 1)});
  ASSERT_TRUE(checked.ok());
  EXPECT_EQ(checked->piece_bytes, half);
}

TEST(UserRealms, NestedVectorsAreNotExpanded) {
  // Rows of 2^16 bytes, of which each realm owns a half. There are 2^19 rows in a period.
  const int64_t rows = 1 << 19;
  const auto half = [&](int64_t at) {
    const pattern::DataType type = type_hvector(rows, 1 << 15, 1 << 16, pattern::type_bytes(1)).value();
    return GivenRealm{type_resized(type, 0, rows << 16).value(), at};
  };
  const auto checked = check_realms(std::vector{half(0), half(1 << 15)});
  ASSERT_TRUE(checked.ok()) << checked.error().message;
  EXPECT_EQ(checked->piece_bytes, 1 << 15);
}

TEST(UserRealms, RefusesTooManyPieces) {
  const auto odd = [](int64_t at) {
    const pattern::DataType type = type_hvector(1 << 20, 1, 2, pattern::type_bytes(1)).value();
    return GivenRealm{type_resized(type, 0, 2 << 20).value(), at};
  };
  expect_in("realms 0 to 1 have more than 1048576 pieces", refusal({odd(0), odd(1)}));
}

TEST(UserRealms, RefusesWhatIsNoRealm) {
  const GivenRealm good = dealt(10, 2, 0);
  expect_in("there are no realms", refusal({}));
  expect_in("realm 1's displacement is -10", refusal({good, realm_of({{0, 10}}, 20, -10)}));
  expect_in("realm 1's type has no bytes", refusal({good, realm_of({}, 20, 10)}));
  expect_in("realm 1's type begins 3 bytes before", refusal({good, realm_of({{-3, 10}}, 20, 13)}));
  expect_in("realm 1's type goes back in the file", refusal({good, realm_of({{5, 5}, {0, 5}}, 20, 10)}));
  expect_in("realm 1's type goes back in the file or has a byte twice",
            refusal({good, realm_of({{0, 6}, {5, 5}}, 20, 10)}));
  expect_in("realm 1's type has extent 0", refusal({good, realm_of({{0, 10}}, 0, 10)}));
  expect_in("realm 1's type has extent -20", refusal({good, realm_of({{0, 10}}, -20, 10)}));
  expect_in("realm 1's type reaches over 25 bytes, but repeats every 20",
            refusal({good, realm_of({{0, 5}, {20, 5}}, 20, 10)}));
  expect_in("realm 1's type has extent 40, realm 0's 20", refusal({good, realm_of({{0, 10}}, 40, 10)}));
  expect_in("realm 1 begins beyond all file offsets",
            refusal({good, realm_of({{0, 10}}, 20, INT64_MAX - 15)}));
}

TEST(UserRealms, RefusesGaps) {
  expect_in("no realm owns byte 0", refusal({realm_of({{0, 10}}, 20, 10), realm_of({{0, 5}}, 20, 5)}));
  expect_in("no realm owns byte 10", refusal({realm_of({{0, 10}}, 20), realm_of({{0, 9}}, 20, 11)}));
  expect_in("no realm owns byte 19", refusal({realm_of({{0, 10}}, 20), realm_of({{0, 9}}, 20, 10)}));
}

TEST(UserRealms, RefusesBytesBeforeADisplacement) {
  // The same bytes of every period as in CyclicBlocks, but different bytes of the first one.
  expect_in("no realm owns byte 10", refusal({dealt(10, 2, 0), realm_of({{0, 10}}, 20, 30)}));
  expect_in("no realm owns byte 0", refusal({realm_of({{0, 20}}, 20, 1)}));
  expect_in("no realm owns byte 0", refusal({realm_of({{0, 20}}, 20, INT64_MAX / 2)}));
}

TEST(UserRealms, RefusesBytesOwnedTwice) {
  const GivenRealm all = realm_of({{0, 20}}, 20);
  expect_in("realms 0 and 1 both own byte 10", refusal({all, dealt(10, 2, 1)}));
  expect_in("realms 0 and 2 both own byte 5",
            refusal({dealt(10, 2, 0), dealt(10, 2, 1), realm_of({{0, 1}}, 20, 5)}));
  // Only from the second period on.
  expect_in("realms 0 and 1 both own byte 25", refusal({all, realm_of({{0, 1}}, 20, 25)}));
  expect_in("realms 0 and 1 both own byte 20", refusal({dealt(10, 2, 0), realm_of({{0, 12}}, 20, 10)}));
  // The piece that reaches into the second period meets another one before.
  expect_in("realms 1 and 2 both own byte 15",
            refusal({dealt(10, 2, 0), realm_of({{0, 12}}, 20, 10), realm_of({{0, 2}}, 20, 15)}));
}

TEST(UserRealms, RefusesMoreThanRanksThatAggregate) {
  EXPECT_TRUE(check_count(4, std::vector<int64_t>{2, 2}).ok());
  const auto message = [](int64_t realms, const std::vector<int64_t>& candidates) {
    const Status status = check_count(realms, candidates);
    return status ? "accepted" : status.error().message;
  };
  EXPECT_EQ(message(5, {2, 2}),
            "5 realms, but only 4 ranks can aggregate (2 nodes with 2 each): give at most 4");
  EXPECT_EQ(message(6, {4}), "6 realms, but only 4 ranks can aggregate (on one node): give at most 4");
  EXPECT_EQ(message(9, {4, 2}), "9 realms, but only 6 ranks can aggregate (on 2 nodes): give at most 6");
}

// A period whose stretches belong to random realms, and the owner of each byte.
struct Dealt {
  int64_t period;
  std::vector<std::vector<Block>> blocks;  // of each realm
  std::vector<int64_t> displacements;

  explicit Dealt(std::mt19937_64& random) {
    const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
    period = 1 + below(200);
    blocks.resize(static_cast<size_t>(1 + below(6)));
    for (int64_t at = 0; at < period;) {
      const int64_t bytes = std::min(period - at, 1 + below(30));
      blocks[static_cast<size_t>(below(std::ssize(blocks)))].push_back({at, bytes});
      at += bytes;
    }
    std::erase_if(blocks, [](const std::vector<Block>& some) { return some.empty(); });
    for (std::vector<Block>& some : blocks) {
      displacements.push_back(below(some.front().offset + 1));
      for (Block& block : some) block.offset -= displacements.back();
    }
  }
  std::vector<GivenRealm> realms() const {
    std::vector<GivenRealm> out;
    for (size_t i = 0; i < blocks.size(); ++i) out.push_back(realm_of(blocks[i], period, displacements[i]));
    return out;
  }
  // The first byte below `end` that does not have exactly one owner, and its owners; {-1, ...} if there is
  // none.
  std::pair<int64_t, std::vector<size_t>> first_wrong(int64_t end) const {
    std::map<int64_t, std::vector<size_t>> owners;
    for (size_t i = 0; i < blocks.size(); ++i) {
      for (int64_t tile = displacements[i]; tile < end; tile += period) {
        for (const Block& block : blocks[i]) {
          for (int64_t k = 0; k < block.bytes; ++k) owners[tile + block.offset + k].push_back(i);
        }
      }
    }
    for (int64_t byte = 0; byte < end; ++byte) {
      if (owners[byte].size() != 1) return {byte, owners[byte]};
    }
    return {-1, {}};
  }
};

TEST(UserRealms, AcceptsEveryPartitionOfAPeriod) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 3000; ++i) {
    const Dealt dealt(random);
    const auto checked = check_realms(dealt.realms());
    ASSERT_TRUE(checked.ok()) << i << ": " << checked.error().message;
    if (checked->owned.size() < 2) continue;
    // Checks the accesses themselves: pieces, their ends, owners.
    const int64_t end = 3 * dealt.period;
    std::vector<size_t> owner(static_cast<size_t>(end), SIZE_MAX);
    for (size_t realm = 0; realm < checked->owned.size(); ++realm) {
      const pattern::Access& owned = checked->owned[realm];
      for (int64_t position = 0; position < owned.data_before(end); ++position) {
        size_t& of_byte = owner[static_cast<size_t>(owned.offset_of(position))];
        ASSERT_EQ(of_byte, SIZE_MAX) << i;
        of_byte = realm;
      }
    }
    int64_t shortest = INT64_MAX, border = -1;
    for (int64_t byte = 1; byte < end; ++byte) {
      const auto at = static_cast<size_t>(byte);
      ASSERT_NE(owner[at], SIZE_MAX) << i;
      if (owner[at] == owner[at - 1]) continue;
      ASSERT_EQ(byte % checked->alignment, 0) << i;
      if (border >= 0) shortest = std::min(shortest, byte - border);
      border = byte;
    }
    ASSERT_EQ(checked->piece_bytes, shortest) << i;
  }
}

TEST(UserRealms, NamesTheFirstByteThatIsWrong) {
  std::mt19937_64 random(8);
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  int gaps = 0, twice = 0;
  for (int i = 0; i < test::cases(4000, 4); ++i) {
    Dealt dealt(random);
    // One block that is longer, shorter or elsewhere, or one realm that is elsewhere.
    std::vector<Block>& some = dealt.blocks[below(dealt.blocks.size())];
    Block& block = some[below(some.size())];
    switch (below(4)) {
      case 0:
        ++block.bytes;
        break;
      case 1:
        --block.bytes;
        break;
      case 2:
        ++block.offset;
        break;
      default:
        dealt.displacements[below(dealt.displacements.size())] += static_cast<int64_t>(1 + below(300));
    }
    const std::string message = refusal(dealt.realms());
    ASSERT_NE(message, "accepted") << i;
    const auto [byte, owners] = dealt.first_wrong(4 * dealt.period + 600);
    if (message.find("realm ") == 0) continue;  // it is not even a valid realm
    ASSERT_GE(byte, 0) << i;
    if (owners.empty()) {
      ++gaps;
      ASSERT_EQ(message, "no realm owns byte " + std::to_string(byte)) << i;
    } else {
      ++twice;
      ASSERT_EQ(message, "realms " + std::to_string(owners[0]) + " and " + std::to_string(owners[1]) +
                             " both own byte " + std::to_string(byte))
          << i;
    }
  }
  EXPECT_GT(gaps, test::cases(200, 4));
  EXPECT_GT(twice, test::cases(200, 4));
}

// Plans with user's realms.

std::shared_ptr<const FixedRealms> given(const std::vector<GivenRealm>& realms) {
  return std::make_shared<const FixedRealms>(check_realms(realms).value());
}

Facts call(int64_t first, int64_t end, int nodes = 1, int ranks = 4) {
  Facts facts = test::interleaved(Operation::write, nodes * ranks, 1000, 1 << 20);
  facts.nodes = test::make_nodes(nodes, ranks);
  facts.digest.first = first;
  facts.digest.end = end;
  facts.digest.bytes = end - first;
  facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
  return facts;
}

// The aggregator of each byte that a plan writes.
std::map<int64_t, int> owners(const Plan& plan) {
  std::map<int64_t, int> out;
  for (const Realm& realm : plan.realms) {
    for (int64_t round = 0; round < rounds_of(realm); ++round) {
      for (const pattern::Interval& part : window(realm, round)) {
        for (int64_t byte = part.begin; byte < part.end; ++byte) {
          EXPECT_TRUE(out.emplace(byte, realm.aggregator).second) << byte;
        }
      }
    }
  }
  return out;
}

TEST(UserRealms, ServeEveryByteOfACallByTheirOwner) {
  Facts facts = call(500, 90'500, 2, 2);
  facts.given = given({dealt(1000, 3, 0), dealt(1000, 3, 1), dealt(1000, 3, 2)});
  const Plan made = plan(facts);
  ASSERT_EQ(made.policy, RealmPolicy::user);
  ASSERT_EQ(made.realms.size(), 3u);
  ASSERT_NE(made.fixed, nullptr);
  const auto owner = owners(made);
  EXPECT_EQ(owner.size(), 90'000u);
  for (const auto& [byte, rank] : owner)
    ASSERT_EQ(rank, made.fixed->aggregators[static_cast<size_t>(byte / 1000 % 3)].rank);
}

TEST(UserRealms, MayBeMoreThanANodeTakesOnOtherwise) {
  Facts facts = call(0, 100'000, 2, 2);
  facts.wishes.aggregators_per_node = 1;
  facts.given = given({dealt(1000, 4, 0), dealt(1000, 4, 1), dealt(1000, 4, 2), dealt(1000, 4, 3)});
  EXPECT_EQ(plan(facts).realms.size(), 4u);
  // Under another policy the limit applies.
  facts.wishes.realms = RealmPolicy::persistent;
  facts.wishes.realm_block_bytes = 1000;
  EXPECT_EQ(plan(facts).realms.size(), 2u);
}

TEST(UserRealms, StayTheUsersWhileAnotherPolicyIsInForce) {
  Facts facts = call(0, 100'000);
  facts.given = given({dealt(1000, 2, 0), dealt(1000, 2, 1)});
  const Plan first = plan(facts);
  facts.given = first.fixed;
  facts.wishes.realms = RealmPolicy::persistent;
  facts.wishes.realm_block_bytes = 5000;
  const Plan second = plan(facts);
  EXPECT_EQ(second.policy, RealmPolicy::persistent);
  ASSERT_NE(second.fixed, nullptr);
  EXPECT_EQ(second.fixed->policy, RealmPolicy::persistent);
  EXPECT_EQ(second.fixed->piece_bytes, 5000);
  EXPECT_NE(owners(second), owners(first));
  facts.fixed = second.fixed;
  facts.wishes.realms = RealmPolicy::automatic;
  const Plan third = plan(facts);
  EXPECT_EQ(third.policy, RealmPolicy::user);
  EXPECT_EQ(owners(third), owners(first));
  facts.wishes.realms = RealmPolicy::cyclic;
  EXPECT_EQ(plan(facts).fixed->policy, RealmPolicy::cyclic);
}

TEST(UserRealms, WishedButNotGivenAreEvenWithAWarning) {
  Facts facts = call(0, 1 << 20);
  facts.wishes.realms = RealmPolicy::user;
  const Plan made = plan(facts);
  EXPECT_EQ(made.policy, RealmPolicy::even);
  EXPECT_EQ(made.fixed, nullptr);
  expect_in("concilio_file_set_realms", made.warning);
  facts.given = given({dealt(1000, 2, 0), dealt(1000, 2, 1)});
  EXPECT_EQ(plan(facts).warning, "");
}

TEST(PersistentRealms, ByteKeepsItsAggregatorWhateverLaterCallsTouch) {
  for (const int nodes : {1, 3}) {
    Facts facts = call(0, 40'000, nodes);
    facts.wishes.realms = RealmPolicy::persistent;
    facts.wishes.realm_block_bytes = 7000;
    facts.wishes.placement = Placement::memory;
    Plan made = plan(facts);
    std::map<int64_t, int> all;
    for (const pattern::Interval& range : std::vector<pattern::Interval>{
             {0, 40'000}, {20'000, 90'000}, {0, 200'000}, {150'000, 150'010}, {3, 250'000}}) {
      Facts next = call(range.begin, range.end, nodes);
      next.operation = range.begin % 2 ? Operation::read : Operation::write;
      next.wishes = facts.wishes;
      next.fixed = made.fixed;
      // Facts that would change the placement if the realms were not fixed.
      next.nodes[0].free_bytes = 1 << 20;
      made = plan(next);
      ASSERT_NE(made.fixed, nullptr);
      const auto now = owners(made);
      ASSERT_EQ(std::ssize(now), range.length());
      for (const auto& [byte, rank] : now) ASSERT_EQ(all.emplace(byte, rank).first->second, rank) << byte;
    }
  }
}

}  // namespace
}  // namespace concilio::plan::user_realms_test
