#include "pattern/nest.h"

#include <gtest/gtest.h>

#include <limits>

namespace concilio::pattern::nest_test {
namespace {

constexpr int64_t huge = std::numeric_limits<int64_t>::max();

NestRef repeat(NestRef child, int64_t count, int64_t stride, int64_t offset = 0) {
  return Nest::repeat(std::move(child), count, stride, offset).value();
}

NestRef blocks(const std::vector<int64_t>& offsets, const std::vector<int64_t>& lengths) {
  return Nest::blocks({.offsets = offsets, .lengths = lengths}).value();
}

void expect_run(const NestRef& nest, Run expected) {
  ASSERT_EQ(nest->kind(), Nest::Kind::run);
  EXPECT_EQ(nest->run().offset, expected.offset);
  EXPECT_EQ(nest->run().length, expected.length);
  EXPECT_EQ(nest->run().count, expected.count);
  if (expected.count > 1) {
    EXPECT_EQ(nest->run().stride, expected.stride);
  }
}

TEST(Nest, IrregularPiecesTakeAnOffsetAndWhereLengthsDifferAPosition) {
  std::vector<int32_t> offsets, alike{3}, differ;
  for (int32_t i = 0; i < 10'000; ++i) {
    offsets.push_back(i * 10 + i * i % 5);
    differ.push_back(1 + i % 3);
  }
  const int64_t one = Nest::bytes(1)->memory_bytes();
  EXPECT_LE(Nest::blocks({.offsets = offsets, .lengths = alike}).value()->memory_bytes(), 80'000 + one);
  EXPECT_LE(Nest::blocks({.offsets = offsets, .lengths = differ}).value()->memory_bytes(), 160'008 + one);
}

TEST(Repeat, CopiesThatTouchAreOnePiece) {
  expect_run(repeat(Nest::bytes(8), 10, 8), {0, 80, 0, 1});
}

TEST(Repeat, CopiesApartAreARun) {
  expect_run(repeat(Nest::bytes(8), 10, 24, 5), {5, 8, 24, 10});
}

TEST(Repeat, RunThatContinuesIsALongerRun) {
  expect_run(repeat(repeat(Nest::bytes(8), 10, 24), 7, 240, 3), {3, 8, 24, 70});
}

TEST(Repeat, DescendingRunThatContinuesIsALongerRun) {
  expect_run(repeat(repeat(Nest::bytes(8), 10, -24), 7, -240), {0, 8, -24, 70});
}

TEST(Repeat, LoopThatContinuesIsALongerLoop) {
  const NestRef row = repeat(Nest::bytes(8), 4, 16);
  const NestRef nest = repeat(repeat(row, 5, 100), 3, 500, 1);
  ASSERT_EQ(nest->kind(), Nest::Kind::loop);
  EXPECT_EQ(nest->child(), row);
  EXPECT_EQ(nest->loop_count(), 15);
  EXPECT_EQ(nest->loop_stride(), 100);
  EXPECT_EQ(nest->loop_offset(), 1);
}

TEST(Repeat, NothingGivesTheEmptyNest) {
  EXPECT_EQ(repeat(Nest::bytes(8), 0, 8), Nest::empty());
  EXPECT_EQ(repeat(Nest::empty(), 8, 8), Nest::empty());
  EXPECT_EQ(Nest::bytes(0), Nest::empty());
}

TEST(Repeat, ShiftsAddUpAndVanish) {
  const NestRef list = blocks({0, 10, 30}, {4});
  const NestRef shifted = repeat(list, 1, 0, 100);
  EXPECT_EQ(shifted->lower(), 100);
  EXPECT_EQ(repeat(shifted, 1, 0, -100), list);
  EXPECT_EQ(repeat(shifted, 3, 50)->child(), list);
}

TEST(Repeat, NegativeCountIsAnError) {
  EXPECT_EQ(Nest::repeat(Nest::bytes(1), -1, 1).error().kind, ErrorKind::datatype);
}

TEST(Repeat, OverflowIsAnError) {
  const auto kind = [](const Result<NestRef>& result) {
    return result.ok() ? ErrorKind::none : result.error().kind;
  };
  EXPECT_EQ(kind(Nest::repeat(Nest::bytes(8), huge / 4, 8)), ErrorKind::count);
  EXPECT_EQ(kind(Nest::repeat(Nest::bytes(8), huge / 4, 0)), ErrorKind::count);
  EXPECT_EQ(kind(Nest::repeat(Nest::bytes(8), 3, huge / 2)), ErrorKind::count);
  EXPECT_EQ(kind(Nest::repeat(Nest::bytes(8), 3, -huge / 2 - 1)), ErrorKind::count);
  EXPECT_EQ(kind(Nest::repeat(Nest::bytes(8), 1, 0, huge)), ErrorKind::count);
  const NestRef far = repeat(Nest::bytes(8), 1, 0, huge - 100);
  EXPECT_EQ(kind(Nest::repeat(far, 1, 0, 200)), ErrorKind::count);
  EXPECT_EQ(kind(Nest::sequence({{0, 0, far}, {-huge, 0, Nest::bytes(1)}})), ErrorKind::count);
  EXPECT_EQ(kind(Nest::sequence({{200, 0, far}})), ErrorKind::count);
}

TEST(Depth, BeyondTheLimitIsAnError) {
  NestRef nest = repeat(Nest::bytes(1), 2, 3);
  ErrorKind kind = ErrorKind::none;
  int levels = 0;
  while (kind == ErrorKind::none && levels < 2 * Nest::max_depth) {
    // Two different copies at the same place neither merge nor grow.
    auto next = Nest::sequence({{0, 0, Nest::bytes(1)}, {0, 0, nest}});
    if (!next)
      kind = next.error().kind;
    else
      nest = *next;
    ++levels;
  }
  EXPECT_EQ(kind, ErrorKind::unsupported);
}

TEST(Blocks, RegularSeriesIsARun) {
  expect_run(blocks({5, 15, 25}, {4}), {5, 4, 10, 3});
  expect_run(blocks({25, 15, 5}, {4, 4, 4}), {25, 4, -10, 3});
}

TEST(Blocks, TouchingNeighboursMerge) {
  expect_run(blocks({0, 4, 8}, {4}), {0, 12, 0, 1});
  const NestRef nest = blocks({0, 4, 20, 30}, {4});
  EXPECT_EQ(std::vector<int64_t>(nest->offsets().begin(), nest->offsets().end()),
            (std::vector<int64_t>{0, 20, 30}));
  EXPECT_EQ(std::vector<int64_t>(nest->positions().begin(), nest->positions().end()),
            (std::vector<int64_t>{0, 8, 12, 16}));
}

TEST(Blocks, ZeroLengthsAreDropped) {
  EXPECT_EQ(blocks({1, 2, 3}, {0}), Nest::empty());
  EXPECT_EQ(blocks({}, {}), Nest::empty());
  expect_run(blocks({100, 0, 50, 8}, {0, 4, 0, 4}), {0, 4, 8, 2});
}

TEST(Blocks, AlikeButIrregularKeepOffsetsOnly) {
  const NestRef nest = blocks({0, 10, 50}, {4});
  ASSERT_EQ(nest->kind(), Nest::Kind::blocks);
  EXPECT_EQ(nest->uniform_length(), 4);
  EXPECT_TRUE(nest->positions().empty());
  EXPECT_TRUE(nest->monotone());
}

TEST(Blocks, DescendingOrOverlappingAreNotMonotone) {
  EXPECT_FALSE(blocks({50, 10, 0}, {4})->monotone());
  EXPECT_FALSE(blocks({0, 2, 50}, {4})->monotone());
}

TEST(Blocks, BadArgumentsAreErrors) {
  const std::vector<int64_t> two{0, 8}, three{1, 1, 1}, negative{-4}, ends{huge - 2, 0}, far{-huge, huge - 8};
  const std::vector<int64_t> eight{8};
  EXPECT_EQ(Nest::blocks({.offsets = two, .lengths = three}).error().kind, ErrorKind::datatype);
  EXPECT_EQ(Nest::blocks({.offsets = two, .lengths = negative}).error().kind, ErrorKind::datatype);
  EXPECT_EQ(Nest::blocks({.offsets = ends, .lengths = eight}).error().kind, ErrorKind::count);
  EXPECT_EQ(Nest::blocks({.offsets = far, .lengths = eight}).error().kind, ErrorKind::count);
}

TEST(Sequence, OfSinglePiecesIsAFlatList) {
  const NestRef nest =
      Nest::sequence({{0, 0, Nest::bytes(4)}, {4, 0, Nest::bytes(8)}, {20, 0, Nest::bytes(1)}}).value();
  ASSERT_EQ(nest->kind(), Nest::Kind::blocks);
  EXPECT_EQ(nest->pieces(), 2);
}

TEST(Sequence, OfRunsThatContinueIsOneRun) {
  const NestRef run = repeat(Nest::bytes(4), 3, 10);
  expect_run(Nest::sequence({{0, 0, run}, {30, 0, run}, {60, 0, Nest::bytes(4)}}).value(), {0, 4, 10, 7});
}

TEST(Sequence, OfEqualChildrenAtEqualDistancesIsALoop) {
  const NestRef nest = Nest::sequence({{7, 0, blocks({0, 10, 30}, {4})},
                                       {107, 0, blocks({0, 10, 30}, {4})},
                                       {207, 0, blocks({0, 10, 30}, {4})}})
                           .value();
  ASSERT_EQ(nest->kind(), Nest::Kind::loop);
  EXPECT_EQ(nest->loop_count(), 3);
  EXPECT_EQ(nest->loop_stride(), 100);
  EXPECT_EQ(nest->loop_offset(), 7);
}

TEST(Sequence, OfOnePartIsThatPart) {
  const NestRef list = blocks({0, 10, 30}, {4});
  EXPECT_EQ(Nest::sequence({{0, 0, Nest::empty()}, {0, 0, list}}).value(), list);
  EXPECT_EQ(Nest::sequence({}).value(), Nest::empty());
}

TEST(Ascending, IsAboutWherePiecesBegin) {
  EXPECT_TRUE(Nest::empty()->ascending());
  EXPECT_TRUE(repeat(Nest::bytes(8), 4, 3)->ascending());
  EXPECT_TRUE(repeat(Nest::bytes(8), 4, 0)->ascending());
  EXPECT_FALSE(repeat(Nest::bytes(8), 4, -9)->ascending());
  EXPECT_TRUE(blocks({0, 1, 1, 20}, {4, 9, 2, 3})->ascending());
  EXPECT_FALSE(blocks({3, 0, 9}, {1})->ascending());
  const NestRef two = blocks({0, 10}, {4, 5});
  EXPECT_TRUE(repeat(two, 3, 10)->ascending());
  EXPECT_FALSE(repeat(two, 3, 9)->ascending());
  EXPECT_TRUE(Nest::sequence({{0, 0, two}, {10, 0, Nest::bytes(3)}}).value()->ascending());
  EXPECT_FALSE(Nest::sequence({{0, 0, two}, {9, 0, Nest::bytes(3)}}).value()->ascending());
}

TEST(Hash, TellsPatternsApartAndEqualOnesNot) {
  EXPECT_EQ(repeat(Nest::bytes(8), 10, 24)->hash(), repeat(repeat(Nest::bytes(8), 5, 24), 2, 120)->hash());
  EXPECT_EQ(blocks({0, 10, 30}, {4})->hash(), blocks({0, 10, 30}, {4, 4, 4})->hash());
  EXPECT_NE(blocks({0, 10, 30}, {4})->hash(), blocks({0, 10, 31}, {4})->hash());
  EXPECT_NE(blocks({0, 10, 30}, {4, 4, 5})->hash(), blocks({0, 10, 30}, {4, 5, 4})->hash());
  EXPECT_NE(repeat(Nest::bytes(8), 10, 24)->hash(), repeat(Nest::bytes(8), 10, 25)->hash());
  EXPECT_NE(Nest::bytes(8)->hash(), Nest::bytes(9)->hash());
}

// HDF5 describes the next row of an array by a datatype that begins further on.
TEST(Hash, IsTheSameWhereverANestBegins) {
  const NestRef list = blocks({0, 10, 30}, {4}), lengths = blocks({5, 10, 30}, {4, 5, 6});
  const NestRef loop = repeat(list, 3, 100), parts = Nest::sequence({{0, 0, list}, {50, 0, loop}}).value();
  for (const NestRef& nest : {Nest::bytes(8), repeat(Nest::bytes(8), 4, 20), list, lengths, loop, parts})
    EXPECT_EQ(nest->hash(), repeat(nest, 1, 0, 1000)->hash());
  EXPECT_EQ(blocks({0, 10, 30}, {4})->hash(), blocks({7, 17, 37}, {4})->hash());
  EXPECT_NE(parts->hash(), Nest::sequence({{0, 0, list}, {51, 0, loop}}).value()->hash());
}

TEST(Memory, OfABillionPiecesIsThatOfTheDescription) {
  NestRef small = Nest::bytes(4), large = Nest::bytes(4);
  for (int64_t level = 0, distance = 7; level < 3; ++level) {
    small = repeat(small, 2, distance);
    large = repeat(large, 1000, distance * (level == 0 ? 1 : 1000));
    distance *= level == 0 ? 3 : 3000;
  }
  EXPECT_EQ(large->pieces(), 1000000000);
  EXPECT_EQ(large->memory_bytes(), small->memory_bytes());
  EXPECT_LT(large->memory_bytes(), 2000);
}

}  // namespace
}  // namespace concilio::pattern::nest_test
