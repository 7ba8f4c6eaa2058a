#include "plan/plan.h"
#include "plan/show/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/facts/spans.h"
#include "plan/layout/exchange.h"
#include "plan/layout/footprint.h"
#include "plan/layout/realms.h"
#include "plan/layout/windows.h"
#include "plan/show/reason_text.h"
#include "unit/plan_facts.h"

namespace concilio::plan::plan_test {
namespace {

using test::contiguous;
using test::interleaved;
using test::make_nodes;
using test::random_facts;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int64_t KiB = 1 << 10, MiB = 1 << 20;
constexpr Operation both_ways[] = {Operation::read, Operation::write};

const Candidate& of(const Plan& plan, Method method) {
  return plan.candidates[method];
}

// A call of one rank, whose bytes are far apart.
Facts strided(Operation operation, int64_t block_bytes, int64_t stride_bytes, int64_t bytes = 32 << 20) {
  Facts facts = interleaved(operation, 1, block_bytes, bytes);
  facts.collective = false;
  facts.digest.end = facts.digest.span = bytes / block_bytes * stride_bytes;
  return facts;
}

struct Expectation {
  const char* situation;
  Facts facts;
  Method write, read;
};

void check(const std::vector<Expectation>& table) {
  for (const Expectation& row : table) {
    for (Operation operation : both_ways) {
      Facts facts = row.facts;
      facts.operation = operation;
      const Plan made = plan(facts);
      const Method expected = operation == Operation::read ? row.read : row.write;
      EXPECT_STREQ(method_name(made.method), method_name(expected))
          << row.situation << (operation == Operation::read ? ", read: " : ", write: ")
          << text_of(made.reason);
    }
  }
}

TEST(MethodChoice, LocalStorage) {
  const Operation any = Operation::write;
  check({
      {"64 B, 2 ranks", interleaved(any, 2, 64), Method::two_phase, Method::two_phase},
      {"64 B, 4 ranks", interleaved(any, 4, 64), Method::two_phase, Method::two_phase},
      {"64 B, 8 ranks", interleaved(any, 8, 64), Method::two_phase, Method::two_phase},
      {"1 KiB, 2 ranks", interleaved(any, 2, KiB), Method::two_phase, Method::two_phase},
      {"1 KiB, 4 ranks", interleaved(any, 4, KiB), Method::two_phase, Method::two_phase},
      {"1 KiB, 8 ranks", interleaved(any, 8, KiB), Method::two_phase, Method::two_phase},
      {"4 KiB, 4 ranks", interleaved(any, 4, 4 * KiB), Method::two_phase, Method::two_phase},
      {"4 KiB, 8 ranks", interleaved(any, 8, 4 * KiB), Method::two_phase, Method::list},
      {"64 KiB, 2 ranks", interleaved(any, 2, 64 * KiB), Method::list, Method::list},
      {"64 KiB, 4 ranks", interleaved(any, 4, 64 * KiB), Method::list, Method::list},
      {"64 KiB, 8 ranks", interleaved(any, 8, 64 * KiB), Method::list, Method::list},
      {"contiguous, 2 ranks", contiguous(any, 2), Method::independent, Method::independent},
      {"contiguous, 4 ranks", contiguous(any, 4), Method::independent, Method::independent},
      {"contiguous, 8 ranks", contiguous(any, 8), Method::independent, Method::independent},
      {"8 bytes a rank", contiguous(any, 4, 8), Method::independent, Method::independent},
      {"one rank, 64 B of 128", strided(any, 64, 128), Method::sieve, Method::sieve},
      {"one rank, 64 KiB of 128", strided(any, 64 * KiB, 128 * KiB), Method::list, Method::list},
      {"one rank, few far pieces", strided(any, 64, 16 * MiB, 640), Method::list, Method::list},
  });
}

TEST(MethodChoice, RemoteStorage) {
  for (auto kind : {StorageFacts::Kind::parallel, StorageFacts::Kind::network}) {
    std::vector<Expectation> table;
    for (int ranks : {2, 4, 8}) {
      table.push_back(
          {"64 B", interleaved(Operation::write, ranks, 64), Method::two_phase, Method::two_phase});
      table.push_back(
          {"1 KiB", interleaved(Operation::write, ranks, KiB), Method::two_phase, Method::two_phase});
      table.push_back(
          {"4 KiB", interleaved(Operation::write, ranks, 4 * KiB), Method::two_phase, Method::two_phase});
      table.push_back(
          {"contiguous", contiguous(Operation::write, ranks), Method::independent, Method::independent});
    }
    for (Expectation& row : table) row.facts.storage.kind = kind;
    check(table);
  }
}

TEST(MethodChoice, ManyRanksWithFewContiguousBytesShareRequestsOnRemoteStorage) {
  Facts facts = contiguous(Operation::write, 64, 64);
  facts.cores_per_node = 64;
  facts.storage.kind = StorageFacts::Kind::parallel;
  EXPECT_EQ(plan(facts).method, Method::two_phase);
}

TEST(MethodChoice, CallWithoutBytesIsIndependentWhateverIsForced) {
  Facts facts = interleaved(Operation::write, 4, 64);
  facts.digest = {};
  facts.digest.ranks = 4;
  facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
  const Plan made = plan(facts);
  EXPECT_EQ(made.method, Method::independent);
  EXPECT_THAT(text_of(made.reason), HasSubstr("no rank asks for any bytes"));
  EXPECT_EQ(made.candidates.size(), static_cast<size_t>(method_count));
  EXPECT_FALSE(needs_buckets(facts));
}

TEST(Outdone, IsWhatDoesAllOfAnotherAndMoreInACache) {
  for (const Operation operation : both_ways) {
    const Plan one_stretch = plan(contiguous(operation, 2));
    for (const Method method : {Method::sieve, Method::two_phase, Method::mapped})
      EXPECT_EQ(of(one_stretch, method).is_outdone_by(Method::independent), of(one_stretch, method).legal);
    EXPECT_FALSE(of(one_stretch, Method::independent).is_outdone_by(Method::two_phase));
    // Fewer requests, but more copies.
    const Plan pieces = plan(interleaved(operation, 4, 64 * KiB));
    EXPECT_FALSE(of(pieces, Method::two_phase).is_outdone_by(Method::list));
    EXPECT_FALSE(of(pieces, Method::list).is_outdone_by(Method::two_phase));
    // Elsewhere it may help that fewer clients come to storage.
    Facts facts = contiguous(operation, 2);
    facts.storage.kind = StorageFacts::Kind::network;
    EXPECT_FALSE(of(plan(facts), Method::two_phase).is_outdone_by(Method::independent));
  }
}

TEST(LongStretches, PassThroughABufferWhereRanksOfANodeWriteByTurns) {
  const auto buffer_bytes = [](Facts facts) {
    facts.wishes.forced_method = static_cast<int32_t>(Method::independent);
    return plan(facts).buffer_bytes;
  };
  const Facts facts = contiguous(Operation::write, 2, 16 * MiB);
  EXPECT_EQ(buffer_bytes(facts), 512 * KiB);
  EXPECT_EQ(buffer_bytes(contiguous(Operation::write, 2, 8 * MiB)), 0);
  EXPECT_EQ(buffer_bytes(contiguous(Operation::write, 1, 16 * MiB)), 0);
  EXPECT_EQ(buffer_bytes(contiguous(Operation::read, 2, 16 * MiB)), 0);
  for (const auto kind : {StorageFacts::Kind::network, StorageFacts::Kind::parallel}) {
    Facts elsewhere = facts;
    elsewhere.storage.kind = kind;
    EXPECT_EQ(buffer_bytes(elsewhere), 0);
  }
  for (const int64_t bytes : {2 * MiB, 4 * MiB}) {
    Facts in_memory = contiguous(Operation::write, 2, bytes);
    in_memory.storage.kind = StorageFacts::Kind::memory;
    EXPECT_EQ(buffer_bytes(in_memory), bytes == 4 * MiB ? 512 * KiB : 0);
  }
  Facts of_device = facts;  // whose data pass through host memory already
  of_device.digest.staging_bytes = MiB;
  EXPECT_EQ(buffer_bytes(of_device), 0);
  Facts scattered = facts;
  scattered.digest.memory_pieces = 1000;
  EXPECT_EQ(buffer_bytes(scattered), 0);
}

TEST(LongStretches, ArePricedByWhatACacheGivesWherePricesTellItFromMemory) {
  Facts facts = contiguous(Operation::write, 2, 16 * MiB);
  const auto seconds = [&] { return of(plan(facts), Method::independent).predicted_seconds; };
  const double direct = seconds();
  auto prices = std::make_shared<Prices>(prices_of(facts));
  prices->write.window = Curve::line(0, 1e12);
  facts.prices = prices;
  EXPECT_LT(seconds(), direct / 2);
  prices->write.window = Curve::line(1, 1e12);  // slower than without
  EXPECT_EQ(seconds(), direct);
}

TEST(Mapped, CostsEachRankAWholePageToWriteAndLessToRead) {
  for (const Operation operation : both_ways) {
    Facts facts = interleaved(operation, 4, 64);
    facts.may_map = true;
    facts.storage.kind = StorageFacts::Kind::memory;
    auto prices = std::make_shared<Prices>(prices_of(facts));
    facts.prices = prices;
    const auto seconds = [&] { return plan(facts).appraisal(Method::mapped).cost.seconds_of("pages"); };
    const double before = seconds();
    (operation == Operation::read ? prices->map_read_page_seconds : prices->map_write_page_seconds) *= 2;
    ASSERT_GT(before, 0);
    if (operation == Operation::write) {
      EXPECT_DOUBLE_EQ(seconds(), 2 * before);
    } else {
      EXPECT_LT(seconds(), 1.9 * before);
    }
  }
}

TEST(Legality, IndependentNeedsOneStretchOfEachRank) {
  EXPECT_FALSE(of(plan(interleaved(Operation::write, 2, 64)), Method::independent).legal);
  EXPECT_TRUE(of(plan(contiguous(Operation::write, 2)), Method::independent).legal);
}

TEST(Legality, MappedNeedsAFileOfThisNodeThatCanBeMapped) {
  for (Operation operation : both_ways) {
    Facts good = interleaved(operation, 4, 64);
    good.may_map = true;
    EXPECT_EQ(of(plan(good), Method::mapped).legal, operation == Operation::read);
    good.storage.kind = StorageFacts::Kind::memory;
    EXPECT_TRUE(of(plan(good), Method::mapped).legal);
    const auto why_not = [&](auto change) {
      Facts facts = good;
      change(facts);
      const Plan made = plan(facts);
      EXPECT_FALSE(of(made, Method::mapped).legal);
      return text_of(made.appraisal(Method::mapped));
    };
    EXPECT_THAT(why_not([](Facts& facts) { facts.may_map = false; }), HasSubstr("cannot be mapped"));
    EXPECT_THAT(why_not([](Facts& facts) { facts.atomic = true; }), HasSubstr("atomic"));
    EXPECT_THAT(why_not([](Facts& facts) { facts.nodes = make_nodes(2, 2); }), HasSubstr("several nodes"));
    EXPECT_THAT(why_not([](Facts& facts) { facts.digest.monotone = 0; }), HasSubstr("ascending"));
    EXPECT_THAT(why_not([](Facts& facts) { facts.storage.kind = StorageFacts::Kind::parallel; }),
                HasSubstr("no storage of this node alone"));
  }
}

TEST(Legality, MappedWritesLeaveSparseFilesSparse) {
  for (Operation operation : both_ways) {
    const bool reads = operation == Operation::read;
    Facts facts = strided(operation, 64, 129);
    facts.may_map = true;
    facts.storage.kind = StorageFacts::Kind::memory;
    EXPECT_EQ(of(plan(facts), Method::mapped).legal, reads);
    facts = strided(operation, 64, 128);
    facts.may_map = true;
    facts.storage.kind = StorageFacts::Kind::memory;
    EXPECT_TRUE(of(plan(facts), Method::mapped).legal);
    // Each rank's own bytes are dense, however far from those of other ranks.
    facts = contiguous(operation, 2);
    facts.may_map = true;
    facts.storage.kind = StorageFacts::Kind::memory;
    facts.digest.end += int64_t{1} << 40;
    EXPECT_TRUE(of(plan(facts), Method::mapped).legal);
  }
}

TEST(Legality, SieveWritesNeedLocksReadsDoNot) {
  for (Operation operation : both_ways) {
    Facts facts = strided(operation, 64, 128);
    facts.locks_work = false;
    EXPECT_EQ(of(plan(facts), Method::sieve).legal, operation == Operation::read);
    facts.locks_work = true;
    facts.wishes.sieving = Choice3::disable;
    EXPECT_FALSE(of(plan(facts), Method::sieve).legal);
  }
}

TEST(Legality, ListIsAlwaysPossible) {
  Facts facts = interleaved(Operation::write, 2, 64);
  facts.collective = facts.locks_work = false;
  facts.atomic = true;
  facts.digest.monotone = 0;
  facts.nodes.clear();
  const Plan made = plan(facts);
  EXPECT_EQ(made.method, Method::list);
  for (Method method : {Method::independent, Method::sieve, Method::two_phase}) {
    EXPECT_FALSE(of(made, method).legal);
    EXPECT_FALSE(made.appraisal(method).obstacle.empty());
  }
}

TEST(Legality, WhatForbidsTwoPhase) {
  const Facts good = interleaved(Operation::write, 4, 64);
  ASSERT_EQ(plan(good).method, Method::two_phase);
  Facts alone = good, not_monotone = good, atomic = good, disabled = good, nobody = good;
  alone.collective = false;
  not_monotone.digest.monotone = 0;
  atomic.atomic = true;
  disabled.wishes.collective = Choice3::disable;
  disabled.wishes.no_independent = true;
  nobody.nodes[0].candidates.clear();
  for (Facts facts : {alone, not_monotone, atomic, disabled, nobody}) {
    EXPECT_FALSE(of(plan(facts), Method::two_phase).legal);
    EXPECT_NE(plan(facts).method, Method::two_phase);
    EXPECT_FALSE(needs_buckets(facts));
    facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
    EXPECT_NE(plan(facts).method, Method::two_phase);
    EXPECT_THAT(text_of(plan(facts).reason), HasSubstr("concilio_method=two_phase is not possible here"));
  }
}

TEST(Legality, OneRankAloneExchangesWithNobodyUnlessItIsAsked) {
  for (Operation operation : both_ways) {
    Facts facts = interleaved(operation, 1, 64);
    facts.digest.end = facts.digest.span = 2 * facts.digest.bytes;  // as much lies between the pieces
    EXPECT_FALSE(of(plan(facts), Method::two_phase).legal);
    EXPECT_FALSE(needs_buckets(facts));
    Facts forced = facts, enabled = facts, behind = facts, realms = facts, remote = facts;
    forced.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
    enabled.wishes.collective = Choice3::enable;
    behind.wishes.write_behind_bytes = MiB;
    realms.wishes.realms = RealmPolicy::persistent;
    remote.storage.kind = StorageFacts::Kind::network;
    for (const Facts& asked : {forced, enabled, behind, realms, remote})
      EXPECT_TRUE(of(plan(asked), Method::two_phase).legal);
    EXPECT_EQ(plan(forced).method, Method::two_phase);
  }
}

TEST(FirstSight, TakesOneRequestForAllOrOneForEachPiece) {
  const Digest digest = interleaved(Operation::write, 4, 64, 16 << 10).digest;
  const Plan all = plan_at_first_sight(Method::sieve, Operation::read, digest);
  EXPECT_EQ(all.method, Method::sieve);
  EXPECT_THAT(text_of(all.reason), StartsWith("sieve: "));
  EXPECT_EQ(all.buffer_bytes, digest.end - digest.first);
  Digest far = digest;
  far.end = far.first + (1 << 20);
  EXPECT_EQ(plan_at_first_sight(Method::sieve, Operation::write, far).buffer_bytes,
            most_bytes_at_first_sight);
  const Plan stretch = plan_at_first_sight(Method::independent, Operation::write, digest);
  EXPECT_EQ(stretch.method, Method::independent);
  EXPECT_EQ(stretch.buffer_bytes, 0);
  EXPECT_THAT(text_of(stretch.reason), StartsWith("independent: "));
  for (Operation operation : both_ways) {
    const Plan pieces = plan_at_first_sight(Method::list, operation, digest);
    EXPECT_EQ(pieces.method, Method::list);
    EXPECT_EQ(pieces.operation, operation);
    EXPECT_EQ(pieces.peak_bytes, 0);
    EXPECT_THAT(text_of(pieces.reason), StartsWith("list: "));
  }
}

TEST(Wishes, ForcedMethodWinsWhereItIsLegal) {
  for (Method method : {Method::list, Method::sieve, Method::two_phase}) {
    Facts facts = interleaved(Operation::write, 4, 64);
    facts.wishes.forced_method = static_cast<int32_t>(method);
    const Plan made = plan(facts);
    EXPECT_EQ(made.method, method);
    EXPECT_THAT(text_of(made.reason), HasSubstr("asks for it"));
  }
}

TEST(Wishes, ForcedMethodThatIsNotLegalGivesTheBestOther) {
  Facts facts = interleaved(Operation::write, 4, 64);
  facts.wishes.forced_method = static_cast<int32_t>(Method::independent);
  const Plan made = plan(facts);
  EXPECT_EQ(made.method, Method::two_phase);
  EXPECT_THAT(text_of(made.reason), HasSubstr("concilio_method=independent is not possible here"));
  EXPECT_THAT(text_of(made.reason), HasSubstr("requests alone"));
}

TEST(Wishes, CollectiveEnabledTakesTwoPhaseEvenForContiguous) {
  Facts facts = contiguous(Operation::write, 4);
  facts.wishes.collective = Choice3::enable;
  EXPECT_EQ(plan(facts).method, Method::two_phase);
  facts.wishes.collective = Choice3::automatic;
  facts.wishes.no_independent = true;
  EXPECT_EQ(plan(facts).method, Method::two_phase);
}

TEST(Wishes, SievingEnabledIsPreferredToList) {
  Facts facts = strided(Operation::read, 64 * KiB, 128 * KiB);
  ASSERT_EQ(plan(facts).method, Method::list);
  facts.wishes.sieving = Choice3::enable;
  const Plan made = plan(facts);
  EXPECT_EQ(made.method, Method::sieve);
  EXPECT_THAT(text_of(made.reason), HasSubstr("romio_ds_read=enable"));
}

TEST(Wishes, SievingEnabledLeavesContiguousAlone) {
  Facts facts = contiguous(Operation::write, 4);
  facts.wishes.sieving = Choice3::enable;
  EXPECT_EQ(plan(facts).method, Method::independent);
}

TEST(NeedsBuckets, WhereTwoPhaseWouldWinWithoutHoles) {
  EXPECT_TRUE(needs_buckets(interleaved(Operation::read, 4, 64)));
  EXPECT_FALSE(needs_buckets(interleaved(Operation::read, 4, 64 * KiB)));
  // 64 MiB spread over 1 TiB. Sieving is expensive over the whole range, but cheap where the bytes are dense.
  Facts facts = interleaved(Operation::write, 2, 64);
  facts.digest.end = int64_t{1} << 40;
  facts.digest.span = 2 * facts.digest.end;
  EXPECT_TRUE(needs_buckets(facts));
  EXPECT_NE(plan(facts).method, Method::two_phase);
}

TEST(NeedsBuckets, NotOnOneNodeWithoutHoles) {
  Facts facts = interleaved(Operation::write, 4, 64);
  EXPECT_EQ(plan(facts).method, Method::two_phase);
  EXPECT_FALSE(needs_buckets(facts));
  ++facts.digest.end;  // a hole
  EXPECT_TRUE(needs_buckets(facts));
  --facts.digest.end;
  facts.nodes = make_nodes(2, 2);
  EXPECT_TRUE(needs_buckets(facts));
  // What is read may be what all ranks read, and the rest holes; but not if each reads one piece.
  facts = interleaved(Operation::read, 4, 64);
  facts.wishes.collective = Choice3::enable;
  EXPECT_TRUE(needs_buckets(facts));
  facts = contiguous(Operation::read, 4);
  facts.wishes.collective = Choice3::enable;
  EXPECT_FALSE(needs_buckets(facts));
}

TEST(Buckets, TwoDenseClustersFarApartAreMovedTogether) {
  Facts facts = interleaved(Operation::write, 2, 64);
  facts.digest.end = int64_t{1} << 40;
  facts.digest.span = 2 * facts.digest.end;
  facts.buckets.resize(bucket_count);
  facts.buckets.front() = {0, 32 * MiB, 32 * MiB};
  facts.buckets.back() = {facts.digest.end - 32 * MiB, facts.digest.end, 32 * MiB};
  const Plan made = plan(facts);
  EXPECT_EQ(made.method, Method::two_phase);
  ASSERT_EQ(made.realms.size(), 2u);
  EXPECT_EQ(made.realms[0].bytes, 32 * MiB);
  EXPECT_EQ(made.realms[1].bytes, 32 * MiB);
}

// See footprint.h: an image has a message header, and counters beside it; a message has one more header.
constexpr int64_t heads_bytes = 64, counters_bytes = 64;

TEST(Windows, DefaultIsOneMebibyteForTwoRealms) {
  const Plan made = plan(interleaved(Operation::write, 4, 64));
  EXPECT_EQ(made.realms.size(), 2u);
  EXPECT_EQ(made.window_bytes, MiB);
  EXPECT_EQ(made.realms[0].slots, 2);
  EXPECT_EQ(made.rounds, 64);
  EXPECT_EQ(made.realms[0].map_bytes, MiB / 64 + 64);
  EXPECT_EQ(made.realms[0].image_bytes, MiB + made.realms[0].map_bytes + heads_bytes);
  EXPECT_EQ(made.segment_bytes, 4 * (made.realms[0].image_bytes + counters_bytes));
  EXPECT_EQ(made.staging_bytes, 0);
  EXPECT_EQ(made.peak_bytes, made.segment_bytes / 4);
}

TEST(Windows, OneNodeReadNeedsNoStaging) {
  EXPECT_EQ(plan(interleaved(Operation::read, 4, 64)).staging_bytes, 0);
}

TEST(Windows, SeveralNodesStageTwoImages) {
  Facts facts = interleaved(Operation::read, 8, 64);
  facts.nodes = make_nodes(2, 4);
  facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
  facts.wishes.exchange = ExchangeWish::images;
  const Plan made = plan(facts);
  EXPECT_EQ(made.staging_bytes, 2 * (made.realms[0].image_bytes + heads_bytes));
}

TEST(Windows, SeveralNodesStageTheParcelsOfTwoWindows) {
  Facts facts = interleaved(Operation::write, 8, 64);
  facts.nodes = make_nodes(2, 4);
  facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
  const Plan made = plan(facts);
  EXPECT_EQ(made.exchange, ExchangeStrategy::descriptions);
  // And what the ranks ask for.
  EXPECT_EQ(made.staging_bytes, 2 * made.window_bytes + made.told_bytes);
}

TEST(Windows, AnImageOfSeveralNodesHasRoomForAWish) {
  Facts facts = interleaved(Operation::read, 8, 3);
  facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
  facts.wishes.exchange = ExchangeWish::images;
  const auto beside_window = [](const Plan& made) {
    const Realm& realm = made.realms[0];
    return realm.image_bytes - realm.map_bytes - (realm.window_bytes + 63) / 64 * 64 - heads_bytes;
  };
  EXPECT_EQ(beside_window(plan(facts)), 0);
  facts.nodes = make_nodes(2, 4);
  const Plan several = plan(facts);
  EXPECT_EQ(beside_window(several), wish_bytes(several.realms[0].map_bytes));
  EXPECT_GE(beside_window(several), several.realms[0].map_bytes / 8);
}

// Bytes come from window to window, but leaders tell each other which.
TEST(Windows, MpiAlltoallwNeedsNoStagingButLetters) {
  const auto planned = [](int nodes, int64_t limit_bytes) {
    Facts facts = interleaved(Operation::write, nodes, 3, MiB);
    facts.nodes = make_nodes(nodes, 1);
    facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
    facts.wishes.exchange = ExchangeWish::alltoallw;
    facts.wishes.memory_limit_bytes = limit_bytes;
    return plan(facts);
  };
  const Plan made = planned(4, 8 * MiB);
  ASSERT_EQ(made.exchange, ExchangeStrategy::alltoallw);
  EXPECT_EQ(made.staging_bytes, 0);
  ASSERT_EQ(made.realms.size(), 4u);
  const int64_t coverage = coverage_bytes(made.realms[0].map_bytes);
  const int64_t letters = letters_of(made, made.groups[0]).at(0);
  EXPECT_GE(letters, 7 * coverage);  // of its own window by each node, and to each other node
  EXPECT_EQ(node_bytes(made, 0), made.segment_bytes + made.staging_bytes + letters);
  EXPECT_EQ(made.peak_bytes, node_bytes(made, 0));
  const Plan many = planned(256, MiB);
  EXPECT_EQ(many.exchange, ExchangeStrategy::images);
  EXPECT_LE(many.peak_bytes, MiB);
}

TEST(Windows, NoLargerThanTheLargestRealm) {
  Facts facts = interleaved(Operation::write, 4, 64, 4096);
  facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
  const Plan made = plan(facts);
  EXPECT_EQ(made.window_bytes, 16384);
  EXPECT_EQ(made.rounds, 1);
}

TEST(Windows, UnalignedRealmStillGoesThroughInOneRound) {
  Facts facts = interleaved(Operation::write, 1, 64, 100 * KiB);
  facts.digest.first = 100;
  facts.digest.end = 100 * KiB + 50;
  facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
  const Plan made = plan(facts);
  EXPECT_EQ(made.realms[0].alignment, 4096);
  EXPECT_EQ(made.rounds, 1);
}

TEST(Windows, SixteenBytesAreTakenAsAsked) {
  Facts facts = interleaved(Operation::write, 4, 64, 4096);
  facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
  facts.wishes.window_bytes = 16;
  const Plan made = plan(facts);
  EXPECT_EQ(made.window_bytes, 16);
  EXPECT_EQ(made.rounds, 1024);
}

TEST(Windows, EndAtAlignedOffsetsWithinASpan) {
  Facts facts = interleaved(Operation::write, 4, 64);
  facts.digest.first = 1000;
  const Plan made = plan(facts);
  ASSERT_EQ(made.realms[0].alignment, 4096);
  EXPECT_EQ(window(made.realms[0], 0), (std::vector<pattern::Interval>{{1000, MiB}}));
  EXPECT_EQ(window(made.realms[0], 1), (std::vector<pattern::Interval>{{MiB, 2 * MiB}}));
}

TEST(Windows, BeyondTheLastRoundAreEmpty) {
  const Plan made = plan(interleaved(Operation::write, 4, 64));
  EXPECT_TRUE(window(made.realms[0], made.rounds).empty());
  EXPECT_TRUE(window(made.realms[0], -1).empty());
}

TEST(Windows, HoldSeveralSpansOneAfterAnother) {
  Realm realm;
  realm.positions = {{0, 30}, {1000, 1090}, {5000, 5050}};
  realm.bytes = 170;
  realm.window_bytes = 100;
  EXPECT_EQ(window(realm, 0), (std::vector<pattern::Interval>{{0, 30}, {1000, 1070}}));
  EXPECT_EQ(window(realm, 1), (std::vector<pattern::Interval>{{1070, 1090}, {5000, 5050}}));
}

TEST(Windows, TileTheSpansInOrderForAnyFacts) {
  std::mt19937_64 random(3);
  int walked = 0;
  for (int i = 0; i < test::cases(1500, 4); ++i) {
    Facts facts = random_facts(random);
    facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
    Plan made = plan(facts);
    ASSERT_EQ(made.method, Method::two_phase) << i;
    const int64_t shift = static_cast<int64_t>(random() % 10000);
    if (i % 2) move(made, shift);
    std::vector<pattern::Interval> all;
    int64_t most_rounds = 0;
    for (const Realm& realm : made.realms) {
      std::vector<pattern::Interval> joined;  // of this realm
      int64_t round = 0;
      for (std::vector<pattern::Interval> part; !(part = window(realm, round)).empty(); ++round) {
        ASSERT_LE(total_bytes(part), made.window_bytes) << i;
        for (const pattern::Interval& interval : part) {
          ASSERT_FALSE(interval.empty()) << i;
          ASSERT_TRUE(joined.empty() || joined.back().end <= interval.begin) << i;
          if (!joined.empty() && joined.back().end == interval.begin) {
            joined.back().end = interval.end;
          } else {
            joined.push_back(interval);
          }
        }
        if (round > 20000) break;  // a huge realm with a tiny window; checking its first part is enough
      }
      if (round > 20000) {
        all.clear();
        break;
      }
      ASSERT_EQ(total_bytes(joined), realm.bytes) << i;
      all.insert(all.end(), joined.begin(), joined.end());
      most_rounds = std::max(most_rounds, round);
    }
    if (all.empty()) continue;
    ++walked;
    // Each byte is in one realm.
    const int64_t bytes = total_bytes(all);
    all = united(std::move(all));
    ASSERT_EQ(total_bytes(all), bytes) << i;
    std::vector<pattern::Interval> expected = file_spans(facts);
    if (i % 2) {
      for (pattern::Interval& span : expected) span = {span.begin + shift, span.end + shift};
    }
    ASSERT_EQ(all, expected) << i;
    ASSERT_EQ(made.rounds, most_rounds) << i;
  }
  EXPECT_GT(walked, test::cases(1000, 4));
}

TEST(Memory, StaysWithinTheLimitForAnyFacts) {
  std::mt19937_64 random(4);
  for (int i = 0; i < test::cases(3000, 4); ++i) {
    Facts facts = random_facts(random);
    facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
    const Plan made = plan(facts);
    const int64_t limit_bytes = std::max(facts.wishes.memory_limit_bytes, memory_floor_bytes);
    ASSERT_LE(made.peak_bytes, limit_bytes) << i;
    ASSERT_GE(made.window_bytes, 1) << i;
    for (const Group& group : made.groups) {
      int64_t all_images = 0;
      for (int r = group.first_realm; r < group.end_realm; ++r) {
        const Realm& realm = made.realms[static_cast<size_t>(r)];
        const int64_t cut_granules = 2 * static_cast<int64_t>(realm.positions.size());
        ASSERT_GE(realm.map_bytes, realm.window_bytes / made.granule.granule + cut_granules) << i;
        ASSERT_GE(realm.image_bytes, realm.window_bytes + realm.map_bytes + heads_bytes) << i;
        all_images += realm.slots * realm.image_bytes + 2 * counters_bytes;
      }
      if (made.exchange == ExchangeStrategy::descriptions) continue;
      ASSERT_EQ(group.segment_bytes, all_images) << i;
    }
    ASSERT_EQ(made.warning.empty(), memory_limit(facts).warning.empty()) << i;
  }
}

TEST(Memory, LessOfItMeansMoreRounds) {
  Facts facts = interleaved(Operation::write, 4, 64);
  const Plan usual = plan(facts);
  facts.wishes.memory_limit_bytes = 256 << 10;
  const Plan small = plan(facts);
  EXPECT_EQ(small.method, Method::two_phase);
  EXPECT_LE(small.peak_bytes, 256 << 10);
  EXPECT_GT(small.rounds, usual.rounds);
  EXPECT_EQ(small.window_bytes % small.realms[0].alignment, 0);
  EXPECT_TRUE(small.warning.empty());
}

TEST(Memory, ExplicitWindowIsReducedToTheLimit) {
  Facts facts = interleaved(Operation::write, 4, 64);
  facts.wishes.window_bytes = 64 * MiB;
  const Plan made = plan(facts);
  EXPECT_LT(made.window_bytes, 8 * MiB);
  EXPECT_LE(made.peak_bytes, 8 * MiB);
}

TEST(Memory, BelowTheFloorPlansAtTheFloorAndSaysSo) {
  Facts facts = interleaved(Operation::write, 7, 64);
  facts.wishes.memory_limit_bytes = 1000;
  const Plan made = plan(facts);
  EXPECT_EQ(made.method, Method::two_phase);
  EXPECT_LE(made.peak_bytes, memory_floor_bytes);
  EXPECT_THAT(made.warning, HasSubstr("below the floor"));
}

TEST(Memory, TooManyRealmsForItAreReduced) {
  Facts facts = interleaved(Operation::write, 64, 64);
  facts.nodes = make_nodes(64, 1);
  facts.wishes.memory_limit_bytes = memory_floor_bytes;
  facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
  facts.wishes.exchange = ExchangeWish::images;
  const Plan made = plan(facts);
  EXPECT_EQ(made.method, Method::two_phase);
  EXPECT_LT(made.realms.size(), 64u);
  EXPECT_GE(made.realms.size(), 1u);
  EXPECT_LE(made.peak_bytes, memory_floor_bytes);
}

TEST(Memory, OfANodeIsThatOfItsOwnRealmsHoweverManyNodesThereAre) {
  const auto of_a_node = [](int nodes) {
    Facts facts = interleaved(Operation::write, 2 * nodes, 64 << 10);
    facts.nodes = make_nodes(nodes, 2);
    facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
    const Plan made = plan(facts);
    EXPECT_EQ(made.exchange, ExchangeStrategy::descriptions);
    EXPECT_EQ(made.realms.size(), static_cast<size_t>(nodes));
    EXPECT_LE(made.told_bytes, nodes * KiB);  // of what all ranks ask for
    return node_bytes(made, 0) - made.told_bytes;
  };
  EXPECT_EQ(of_a_node(8), of_a_node(64));
}

// A list of pieces is told beforehand where it is much shorter than the data, and there is memory for it.
TEST(Descriptions, MayBeListsOfPieces) {
  const auto exchange = [](int64_t description_bytes, int64_t bytes_a_rank, int64_t limit_bytes, int ranks) {
    Facts facts = interleaved(Operation::write, 8 * ranks, 64, bytes_a_rank);
    facts.nodes = make_nodes(8, ranks);
    facts.digest.description_bytes = description_bytes;
    facts.wishes.memory_limit_bytes = limit_bytes;
    facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
    const Plan made = plan(facts);
    EXPECT_LE(made.peak_bytes, limit_bytes);
    // An aggregator has room for those of its own node, and as much for others.
    if (made.exchange == ExchangeStrategy::descriptions && description_bytes > short_description_bytes) {
      EXPECT_GE(made.told_bytes, 2 * ranks * description_bytes);
    }
    return made.exchange;
  };
  constexpr auto told = ExchangeStrategy::descriptions, not_told = ExchangeStrategy::images;
  EXPECT_EQ(exchange(short_description_bytes, 64, 8 * MiB, 2), told);
  EXPECT_EQ(exchange(64 * KiB, 512 * KiB, 8 * MiB, 2), told);
  EXPECT_EQ(exchange(64 * KiB, 256 * KiB, 8 * MiB, 2), told);
  EXPECT_EQ(exchange(64 * KiB, 255 * KiB, 8 * MiB, 2), not_told);
  EXPECT_EQ(exchange(64 * KiB, 512 * KiB, MiB, 2), not_told);
  EXPECT_EQ(exchange(64 * KiB, 512 * KiB, 8 * MiB, 12), told);
  EXPECT_EQ(exchange(128 * KiB, 512 * KiB, 8 * MiB, 12), not_told);
}

// Short descriptions are counted too: what an aggregator is told, by however many ranks, is a part of its
// memory, and what each rank keeps of its own node.
TEST(Descriptions, TakeNoMoreThanAPartOfTheMemoryHoweverManyRanksThereAre) {
  const auto planned = [](int nodes, int ranks, int64_t limit_bytes) {
    Facts facts = interleaved(Operation::write, nodes * ranks, 64, 64 * KiB);
    facts.nodes = make_nodes(nodes, ranks);
    facts.digest.description_bytes = short_description_bytes;
    facts.wishes.memory_limit_bytes = limit_bytes;
    facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
    return plan(facts);
  };
  const Plan few = planned(8, 2, 8 * MiB);
  EXPECT_EQ(few.exchange, ExchangeStrategy::descriptions);
  EXPECT_GE(few.told_bytes, 16 * short_description_bytes);
  EXPECT_GE(few.staging_bytes, few.told_bytes + few.window_bytes);
  for (const int nodes : {100, 1000}) {
    const Plan many = planned(nodes, 2, 8 * MiB);
    EXPECT_EQ(many.exchange, ExchangeStrategy::descriptions);
    EXPECT_GE(many.told_bytes, few.told_bytes);
    EXPECT_LE(many.told_bytes, 2 * MiB);
    EXPECT_LE(many.peak_bytes, 8 * MiB);
  }
  EXPECT_EQ(planned(8, 2, 128 * KiB).exchange, ExchangeStrategy::descriptions);
  // Each rank would keep 64 of them.
  EXPECT_EQ(planned(8, 64, 128 * KiB).exchange, ExchangeStrategy::images);
  EXPECT_EQ(planned(8, 64, 8 * MiB).exchange, ExchangeStrategy::descriptions);
}

TEST(Messages, FollowTheDataOnTenThousandNodes) {
  constexpr int64_t nodes = 10000, ranks = 12, bytes_a_rank = 4 * MiB, block = 64 << 10;
  Facts facts = interleaved(Operation::write, static_cast<int>(nodes * ranks), block, bytes_a_rank);
  facts.nodes = make_nodes(static_cast<int>(nodes), static_cast<int>(ranks));
  const Plan made = plan(facts);
  ASSERT_EQ(made.method, Method::two_phase);
  ASSERT_EQ(made.groups.size(), 1u);
  const int64_t blocks_of_node = ranks * bytes_a_rank / block;
  EXPECT_LT(most_messages(facts, made, made.groups[0]).all() / nodes, 2 * blocks_of_node);
  EXPECT_LT(node_bytes(made, 0), 64 * MiB);
}

// One node with little memory does not affect the others. They have as many realms and as many rounds as
// without it.
TEST(Memory, OneNodeWithLittleOfItCostsTheOthersNothing) {
  const auto with = [](int rich, int poor) {
    Facts facts = interleaved(Operation::write, rich + poor, 64 << 10, 441 * MiB / 10);
    facts.nodes = make_nodes(rich + poor, 1);
    for (int i = 0; i < rich; ++i) facts.nodes[static_cast<size_t>(i)].free_bytes = 4096 * MiB;
    for (int i = rich; i < rich + poor; ++i) facts.nodes[static_cast<size_t>(i)].free_bytes = MiB;
    facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
    return plan(facts);
  };
  const Plan rich = with(9, 0), mixed = with(9, 1);
  ASSERT_EQ(rich.realms.size(), 9u);
  ASSERT_GE(mixed.realms.size(), 9u);
  // They write a tenth more.
  EXPECT_LE(mixed.rounds * 9 * 10, rich.rounds * 10 * 11);
  EXPECT_EQ(mixed.window_bytes, rich.window_bytes);
  EXPECT_LE(node_bytes(mixed, 9), MiB / 2);
}

// Nor does it if the node has many ranks, of which each must keep what all of them ask for.
TEST(Memory, OneNodeWithLittleOfItAndManyRanksLeavesTheOthersTheirDescriptions) {
  Facts facts = interleaved(Operation::write, 120, 64 << 10, MiB);
  facts.nodes = make_nodes(10, 12);
  for (NodeFacts& node : facts.nodes) node.free_bytes = 4096 * MiB;
  facts.nodes.back().free_bytes = MiB;
  facts.digest.description_bytes = 512;
  facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
  EXPECT_EQ(plan(facts).exchange, ExchangeStrategy::descriptions);
}

TEST(Memory, NodeShortOfFreeMemoryGetsSmallerWindows) {
  Facts facts = interleaved(Operation::write, 4, 64);
  facts.nodes[0].free_bytes = 4 * MiB;
  const Plan made = plan(facts);
  EXPECT_LE(node_bytes(made, 0), 2 * MiB);
  EXPECT_LT(made.window_bytes, MiB);
  EXPECT_TRUE(made.warning.empty());
}

TEST(SieveBuffer, DefaultsDifferForReadsAndWrites) {
  EXPECT_EQ(plan(strided(Operation::read, 64, 128)).buffer_bytes, MiB);
  EXPECT_EQ(plan(strided(Operation::write, 64, 128)).buffer_bytes, 512 * KiB);
}

TEST(SieveBuffer, LimitedByWishMemoryAndSpan) {
  Facts facts = strided(Operation::read, 64, 128);
  facts.wishes.forced_method = static_cast<int32_t>(Method::sieve);
  facts.wishes.sieve_buffer_bytes = 10000;
  EXPECT_EQ(plan(facts).buffer_bytes, 10000);
  facts.wishes.sieve_buffer_bytes = 100 * MiB;
  EXPECT_EQ(plan(facts).buffer_bytes, 4 * MiB);
  facts.digest.end = facts.digest.span = 7000;
  EXPECT_EQ(plan(facts).buffer_bytes, 7000);
}

TEST(Move, ShiftsSpansAndAnchor) {
  Facts facts = interleaved(Operation::write, 4, 64);
  Plan made = plan(facts);
  const Plan before = made;
  move(made, 100);
  EXPECT_EQ(made.granule.anchor, 36);
  ASSERT_EQ(made.realms.size(), before.realms.size());
  for (size_t i = 0; i < made.realms.size(); ++i) {
    EXPECT_EQ(made.realms[i].positions[0].begin, before.realms[i].positions[0].begin + 100);
    EXPECT_EQ(made.realms[i].positions[0].end, before.realms[i].positions[0].end + 100);
  }
  move(made, -100);
  EXPECT_EQ(made.granule.anchor, before.granule.anchor);
  EXPECT_EQ(made.rounds, before.rounds);
}

TEST(Plan, EqualFactsGiveEqualPlans) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 200; ++i) {
    const Facts facts = random_facts(random), copy = facts;
    ASSERT_EQ(explain_json(facts, plan(facts)), explain_json(copy, plan(copy))) << i;
  }
}

}  // namespace
}  // namespace concilio::plan::plan_test
