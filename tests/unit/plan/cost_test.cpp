#include "plan/choose/cost.h"

#include <gtest/gtest.h>

#include "base/text/format_seconds.h"
#include "plan/choose/cheapest_layout.h"
#include "plan/choose/method_table.h"
#include "plan/choose/methods/mapped.h"
#include "plan/facts/spans.h"
#include "plan/plan.h"
#include "plan/show/reason_text.h"
#include "unit/plan_facts.h"

namespace concilio::plan::cost_test {
namespace {

using test::contiguous;
using test::interleaved;
using test::make_nodes;

constexpr int64_t MiB = 1 << 20;
const Prices local = builtin_prices({StorageFacts::Kind::local, 4096, 0, 0});

// Whether the method is possible or not.
double price(Method method, const Facts& facts, const Prices& prices) {
  const Layout layout = method == Method::two_phase ? cheapest_layout(facts, file_spans(facts)) : Layout{};
  return method_row(method).cost(facts, layout, prices).seconds();
}

TEST(Price, CallWithoutBytesIsFree) {
  Facts facts = interleaved(Operation::write, 4, 64);
  facts.digest.bytes = 0;
  for (const Candidate& candidate : plan(facts).candidates) EXPECT_EQ(candidate.predicted_seconds, 0);
}

TEST(Price, ListPaysForEveryPiece) {
  const Facts small = interleaved(Operation::write, 2, 64), large = interleaved(Operation::write, 2, 6400);
  EXPECT_GT(price(Method::list, small, local), 0.9 * static_cast<double>(small.digest.file_pieces) * 1e-6);
  EXPECT_GT(price(Method::list, small, local), 20 * price(Method::list, large, local));
}

// Though targets work on several requests at a time. Otherwise requests of each rank alone seem to move more
// than storage can.
TEST(Price, BytesMoveNoFasterThanByAllTargets) {
  constexpr double target_bytes_per_second = 2e8;
  for (const Operation operation : {Operation::read, Operation::write}) {
    Facts facts = contiguous(operation, 512, 400 << 10);
    facts.storage.kind = StorageFacts::Kind::parallel;
    facts.storage.stripe_bytes = MiB;
    facts.storage.stripe_targets = 4;
    Prices prices = prices_of(facts);
    ASSERT_TRUE(prices.of_target);
    for (RequestPrices* requests : {&prices.read, &prices.write}) {
      for (Curve* curve : {&requests->scattered, &requests->adjoining, &requests->window})
        *curve = Curve::line(0, target_bytes_per_second);
      requests->clients_small = Curve::up_to(4 * 4);
      requests->clients_large = Curve::up_to(4);
    }
    const double least = static_cast<double>(facts.digest.bytes) / (4 * target_bytes_per_second);
    for (const Method method : {Method::independent, Method::list, Method::sieve})
      EXPECT_GE(price(method, facts, prices), 0.999 * least) << static_cast<int>(method);
  }
}

// A write of one rank alone, of `pieces` pieces of 8 bytes.
Facts write_alone(StorageFacts::Kind storage, int64_t pieces, int64_t pitch_bytes) {
  Facts facts = interleaved(Operation::write, 1, 8, pieces * 8);
  facts.collective = false;
  facts.storage.kind = storage;
  facts.digest.end = facts.digest.span = (pieces - 1) * pitch_bytes + 8;
  return facts;
}

// MPI-IO that only sieves is not faster then, also before anything has been tried. Large pieces that lie far
// apart are read one by one: 512 of 4 KiB took 0.22 ms from ext4 and 0.25 ms from tmpfs, where windows of 1
// MiB took 0.4 and 1.6 ms.
TEST(Price, ReadsOfOneRankAreSieved) {
  for (const auto storage : {StorageFacts::Kind::local, StorageFacts::Kind::memory}) {
    for (const int64_t piece_bytes : {8, 64, 1024, 4096}) {
      for (const int64_t pitches : {2, 8}) {
        Facts facts = interleaved(Operation::read, 1, piece_bytes, 2 * MiB);
        facts.collective = false;
        facts.storage.kind = storage;
        facts.digest.end = facts.digest.span = pitches * 2 * MiB;
        const bool far_apart = pitches * piece_bytes > 8192;
        EXPECT_EQ(plan(facts).method, far_apart ? Method::list : Method::sieve)
            << piece_bytes << " of " << pitches * piece_bytes;
      }
    }
  }
}

// To rewrite takes four system calls: to lock, read, write and unlock.
TEST(Price, FewSmallPiecesAreWrittenOneByOne) {
  using Kind = StorageFacts::Kind;
  for (const int64_t pitch_bytes : {16, 256}) {
    EXPECT_EQ(plan(write_alone(Kind::local, 2, pitch_bytes)).method, Method::list) << pitch_bytes;
    EXPECT_EQ(plan(write_alone(Kind::memory, 3, pitch_bytes)).method, Method::list) << pitch_bytes;
    for (const int64_t pieces : {8, 16})
      EXPECT_EQ(plan(write_alone(Kind::local, pieces, pitch_bytes)).method, Method::sieve) << pieces;
  }
}

// Measured with 2 and 4 ranks on 2 cores, each in calls of its own, for 32 KiB a rank in interleaved pieces:
// of 4 KiB they were read and written faster one by one, of 512 B they were read faster by sieving, and
// written so by 2 ranks.
TEST(Price, OfSievingAloneKnowsOthersOfTheNode) {
  const auto made = [](Operation operation, int64_t ranks, int64_t piece_bytes) {
    Facts facts = interleaved(operation, 1, piece_bytes, 32 << 10);
    facts.digest.end = facts.digest.span = ranks * (32 << 10);
    facts.collective = false;
    facts.storage.kind = StorageFacts::Kind::memory;
    facts.cores_per_node = 2;
    facts.nodes[0].ranks = ranks;
    return plan(facts).method;
  };
  for (const int64_t ranks : {2, 4}) {
    EXPECT_EQ(made(Operation::read, ranks, 4096), Method::list) << ranks;
    EXPECT_EQ(made(Operation::write, ranks, 4096), Method::list) << ranks;
    EXPECT_EQ(made(Operation::read, ranks, 512), Method::sieve) << ranks;
    EXPECT_EQ(made(Operation::write, ranks, 512), ranks == 2 ? Method::sieve : Method::list) << ranks;
  }
}

TEST(Price, PiecesInOnePageDoNotJump) {
  Facts near = write_alone(StorageFacts::Kind::local, 100, 16),
        far = write_alone(StorageFacts::Kind::local, 100, 8192);
  EXPECT_NEAR(price(Method::list, near, local), 100 * local.write.adjoining.at(8), 2e-6);
  EXPECT_NEAR(price(Method::list, far, local), 100 * local.write.scattered.at(8), 1e-9);
}

TEST(Price, ListTakesAsLongAsItsLargestRank) {
  Facts even = interleaved(Operation::read, 2, 64), uneven = even;
  uneven.digest.max_rank_file_pieces = uneven.digest.file_pieces;
  EXPECT_GT(price(Method::list, uneven, local), 1.5 * price(Method::list, even, local));
}

// Requests name the pieces to the system, which moves each to or from its place.
TEST(Price, PiecesInMemoryAreCopiedOnlyIfTheyAreTinyOrOfADevice) {
  for (const Operation operation : {Operation::read, Operation::write}) {
    const Facts whole = contiguous(operation, 2);
    const double of_whole = price(Method::independent, whole, local);
    Facts scattered = whole;
    scattered.digest.memory_pieces = whole.digest.bytes / 4096;
    EXPECT_GT(price(Method::independent, scattered, local), of_whole);
    EXPECT_LT(price(Method::independent, scattered, local), 1.1 * of_whole);
    Facts tiny = whole;
    tiny.digest.memory_pieces = whole.digest.bytes / 256;
    EXPECT_GT(price(Method::independent, tiny, local), 1.3 * of_whole);
    Facts of_device = scattered;
    of_device.digest.staging_bytes = MiB;
    EXPECT_GT(price(Method::independent, of_device, local), 1.3 * of_whole);
    // Where the file has many pieces too, they are not packed.
    const Facts pieces = interleaved(operation, 2, 512);
    Facts both = pieces;
    both.digest.memory_pieces = 2 * pieces.digest.file_pieces;
    EXPECT_LT(price(Method::list, both, local), 1.1 * price(Method::list, pieces, local));
  }
}

TEST(Price, SieveWritesReadFirstAndLock) {
  Facts write = interleaved(Operation::write, 1, 64);
  write.digest.bytes /= 2;
  Facts read = write;
  read.operation = Operation::read;
  EXPECT_GT(price(Method::sieve, write, local), 1.4 * price(Method::sieve, read, local));
}

TEST(Price, SieveWritesWithoutHolesReadNothing) {
  Facts dense = interleaved(Operation::write, 1, 64), holes = dense;
  holes.digest.bytes -= 64;
  EXPECT_GT(price(Method::sieve, holes, local), 1.2 * price(Method::sieve, dense, local));
  // Buffers with one piece each have no holes either.
  EXPECT_LT(price(Method::sieve, interleaved(Operation::write, 8, 1 << 20), local),
            2 * price(Method::list, interleaved(Operation::write, 8, 1 << 20), local));
}

// Pieces of `block_bytes`, and as much between them: of one rank in one collective call.
Facts half_holes(Operation operation, int64_t block_bytes, int64_t bytes) {
  Facts facts = interleaved(operation, 1, block_bytes, bytes);
  facts.digest.end = facts.digest.span = 2 * bytes - block_bytes;
  return facts;
}

// Measured on one rank, of 4 to 64 MiB, with half of the range wanted: sieving took 0.7 to 0.9 of the time of
// two-phase I/O in writing, and half of that of mapping in reading.
TEST(Price, OfOneRankWithHolesIsLeastBySieving) {
  for (const int64_t bytes : {4 << 20, 16 << 20, 64 << 20}) {
    for (const int64_t block : {64, 512, 2048}) {
      const Facts writes = half_holes(Operation::write, block, bytes),
                  reads = half_holes(Operation::read, block, bytes);
      const double written = price(Method::sieve, writes, local), read = price(Method::sieve, reads, local);
      EXPECT_LT(written, price(Method::two_phase, writes, local)) << bytes << ' ' << block;
      EXPECT_LT(read, price(Method::two_phase, reads, local)) << bytes << ' ' << block;
      EXPECT_LT(read, price(Method::mapped, reads, local)) << bytes << ' ' << block;
    }
  }
}

TEST(Price, SieveWritersWithOverlappingSpansTakeTurns) {
  Facts apart = interleaved(Operation::write, 4, 64);
  apart.storage.kind = StorageFacts::Kind::parallel;
  apart.digest.span = apart.digest.end;
  Facts interleaving = apart;
  interleaving.digest.span = apart.digest.end + 1;
  const Prices prices = builtin_prices(apart.storage);
  EXPECT_GT(price(Method::sieve, interleaving, prices), 2 * price(Method::sieve, apart, prices));
}

TEST(Price, TwoPhaseHardlyCaresForPieceSize) {
  EXPECT_LT(price(Method::two_phase, interleaved(Operation::write, 2, 64), local),
            2 * price(Method::two_phase, interleaved(Operation::write, 2, 65536), local));
}

TEST(Price, TwoPhaseWritesWithHolesReadFirst) {
  Facts dense = interleaved(Operation::write, 4, 64), holes = dense;
  holes.digest.bytes /= 2;
  EXPECT_GT(price(Method::two_phase, holes, local), 1.1 * price(Method::two_phase, dense, local));
}

// The targets of a long request serve their parts of it at the same time, whoever makes it.
TEST(Price, OneStretchOnStripedStorageIsWorthNoWindows) {
  for (const Operation operation : {Operation::read, Operation::write}) {
    for (const int64_t targets : {1, 4, 64}) {
      Facts facts = contiguous(operation, 1);
      facts.storage.kind = StorageFacts::Kind::parallel;
      facts.storage.stripe_bytes = 1 << 20;
      facts.storage.stripe_targets = targets;
      const Prices prices = builtin_prices(facts.storage);
      EXPECT_LT(price(Method::independent, facts, prices), price(Method::two_phase, facts, prices))
          << targets;
    }
  }
}

TEST(Price, TwoPhaseAcrossNodesPaysForMessages) {
  Facts one = interleaved(Operation::write, 4, 64), two = one;
  two.nodes = make_nodes(2, 2);
  EXPECT_GT(price(Method::two_phase, two, local), price(Method::two_phase, one, local));
}

TEST(Price, TinyWindowsCostRounds) {
  Facts facts = interleaved(Operation::write, 4, 64), tiny = facts;
  tiny.wishes.window_bytes = 4096;
  EXPECT_GT(price(Method::two_phase, tiny, local), 2 * price(Method::two_phase, facts, local));
}

TEST(Price, MappedPaysForPagesOfAllRanksNotForPieces) {
  const Facts small = interleaved(Operation::read, 2, 64), large = interleaved(Operation::read, 2, 65536);
  EXPECT_LT(price(Method::mapped, small, local), 2 * price(Method::mapped, large, local));
  const Facts many = interleaved(Operation::read, 8, 64, 8 * MiB);
  EXPECT_GT(price(Method::mapped, many, local),
            price(Method::mapped, interleaved(Operation::read, 2, 64), local));
}

TEST(Price, MappedPaysMoreForPagesThatRanksShareAndForNewOnes) {
  const double two = price(Method::mapped, interleaved(Operation::read, 2, 64), local);
  EXPECT_GT(two, 1.2 * price(Method::mapped, contiguous(Operation::read, 2), local));
  EXPECT_GT(price(Method::mapped, interleaved(Operation::write, 2, 64), local), 2 * two);
}

// Of 4 MiB a rank, 1 KiB pieces interleaved took 0.5 ms by two-phase I/O, 1.0 by sieving and 1.2 mapped;
// every other 64 bytes 0.4, 0.5 and 0.8 ms.
TEST(Price, SmallReadsComeFromTheProcessorsCache) {
  const Facts several = interleaved(Operation::read, 2, 1024, 4 * MiB);
  EXPECT_LT(price(Method::two_phase, several, local), 0.85 * price(Method::mapped, several, local));
  EXPECT_LT(price(Method::sieve, several, local), 1.3 * price(Method::mapped, several, local));
  Facts holes = interleaved(Operation::read, 1, 64, 4 * MiB);
  holes.digest.end = holes.digest.span = 2 * holes.digest.bytes;
  EXPECT_LT(price(Method::sieve, holes, local), price(Method::mapped, holes, local));
  const auto contiguous_of = [](int64_t bytes) {
    return price(Method::list, interleaved(Operation::read, 1, bytes, bytes), local);
  };
  EXPECT_LT(contiguous_of(16 * MiB), 0.3e-9 * 16 * MiB);
  EXPECT_GT(contiguous_of(32 * MiB), 4 * contiguous_of(16 * MiB));
  const Facts writes = interleaved(Operation::write, 2, 1024, 4 * MiB);
  EXPECT_GT(price(Method::two_phase, writes, local), 1.5 * price(Method::two_phase, several, local));
}

TEST(Price, MappedTouchesNoPagesBetweenFarPieces) {
  Facts facts = interleaved(Operation::read, 1, 65536, MiB), far = facts;
  far.digest.span = far.digest.end = 1024 * MiB;
  EXPECT_LT(price(Method::mapped, far, local), price(Method::mapped, facts, local) + 0.001);
  EXPECT_TRUE(maps_by_piece(MiB, 16, 1024 * MiB));
  EXPECT_FALSE(maps_by_piece(MiB, 16384, 4 * MiB));
}

TEST(Price, RemoteRequestsAreDearerThanLocal) {
  Facts facts = interleaved(Operation::write, 4, 1024);
  for (auto kind : {StorageFacts::Kind::parallel, StorageFacts::Kind::network, StorageFacts::Kind::unknown}) {
    facts.storage.kind = kind;
    EXPECT_GT(price(Method::list, facts, builtin_prices(facts.storage)),
              5 * price(Method::list, facts, local));
  }
}

TEST(Price, MoreTargetsServeMoreStreams) {
  Facts facts = contiguous(Operation::write, 64);
  facts.storage = {StorageFacts::Kind::parallel, 4096, MiB, 2};
  const double few = price(Method::independent, facts, builtin_prices(facts.storage));
  facts.storage.stripe_targets = 16;
  EXPECT_GT(few, 4 * price(Method::independent, facts, builtin_prices(facts.storage)));
}

TEST(Price, LargestRanksPiecesAtOnceWhereStorageServesSeveral) {
  Facts facts = interleaved(Operation::read, 1, 1024);
  facts.storage.kind = StorageFacts::Kind::network;
  Prices prices = builtin_prices(facts.storage);
  const double at_once = price(Method::list, facts, prices);
  prices.read.at_once = {1, 0};
  EXPECT_LT(at_once, 0.7 * price(Method::list, facts, prices));
}

TEST(Price, TwoPhaseWritesItsHolesTheCheapestWay) {
  Facts facts = interleaved(Operation::write, 4, 65536);
  facts.digest.bytes /= 64;
  facts.digest.file_pieces = 2048;
  facts.storage.kind = StorageFacts::Kind::parallel;
  Prices prices = builtin_prices(facts.storage);
  prices.write.at_once = {1, 0};
  const double in_turn = price(Method::two_phase, facts, prices);
  prices.write.at_once = {16, 0};
  EXPECT_LT(price(Method::two_phase, facts, prices), in_turn);
}

TEST(FormatSeconds, TakesTheUnitThatFits) {
  EXPECT_EQ(format_seconds(1.31), "1.31 s");
  EXPECT_EQ(format_seconds(0.024), "24 ms");
  EXPECT_EQ(format_seconds(3.1e-6), "3.1 us");
  EXPECT_EQ(format_seconds(3352), "3352 s");
  EXPECT_EQ(format_seconds(99.96), "100 s");
  EXPECT_EQ(format_seconds(0.9996), "1 s");
  EXPECT_EQ(format_seconds(0.9994e-3), "999 us");
}

TEST(CostText, NamesTheTermsThatCount) {
  Cost cost;
  cost.add("requests", 0.5);
  cost.add("locks", 0);
  cost.add("storage", 0.01);
  EXPECT_EQ(text_of(cost), "requests 500 ms + storage 10 ms");
  EXPECT_DOUBLE_EQ(cost.seconds(), 0.51);
}

}  // namespace
}  // namespace concilio::plan::cost_test
