#include "pattern/access.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>

#include "unit/pattern/naive_types.h"

namespace concilio::pattern::access_test {
namespace {

using naive::Generator;

NestRef repeat(NestRef child, int64_t count, int64_t stride, int64_t offset = 0) {
  return Nest::repeat(std::move(child), count, stride, offset).value();
}

// Every byte that a cursor returns from `begin` to `end`, in chunks of at most max_bytes.
std::vector<int64_t> walk(Cursor& cursor, int64_t end, int64_t max_bytes) {
  std::vector<int64_t> bytes;
  while (cursor.position() < end) {
    const int64_t before = cursor.position(), most = std::min(max_bytes, end - before);
    const Chunk chunk = cursor.next(most);
    EXPECT_GT(chunk.bytes(), 0);
    EXPECT_LE(chunk.bytes(), most);
    EXPECT_EQ(cursor.position(), before + chunk.bytes());
    if (chunk.bytes() <= 0 || cursor.position() != before + chunk.bytes()) return {};
    for (int64_t i = 0; i < chunk.count; ++i) {
      for (int64_t b = 0; b < chunk.length; ++b) bytes.push_back(chunk.offset(i) + b);
    }
  }
  return bytes;
}

struct Case {
  naive::Type type;
  int64_t displacement;
  Access access;
  int64_t size() const { return static_cast<int64_t>(type.bytes.size()); }
};

// A random access that describes some bytes, and its datatype.
Case make_case(Generator& generator, bool tame, int depth) {
  Case result;
  do {
    result.type = generator.make(depth, tame);
  } while (result.type.bytes.empty());
  result.displacement = generator.pick(-1000, 1000);
  result.access = Access::of(result.type.type, result.displacement);
  return result;
}

void check_case(Generator& generator, const Case& test) {
  const Access& access = test.access;
  const int64_t stream = std::min<int64_t>(3 * test.size() + 1, 3000);
  const auto all = naive::expand(test.type, test.displacement, 0, stream);
  for (int64_t p = 0; p < stream; ++p) ASSERT_EQ(access.offset_of(p), all[static_cast<size_t>(p)]) << p;

  // Of an access that is not monotone: in the first tile that reaches the offset, what lies before it.
  if (!access.monotone()) {
    const int64_t first = all.front();
    for (const int64_t offset : {first - 1, first, first + 1, first + access.nest()->upper() / 2}) {
      const int64_t position = access.data_before(offset);
      ASSERT_GE(position, 0);
      if (position == 0 || position > stream) continue;
      for (int64_t p = (position - 1) / test.size() * test.size(); p < position; ++p)
        ASSERT_LT(all[static_cast<size_t>(p)], offset) << p;
    }
  }

  // The bounds are exact unless a tile moves back further than three tiles show, which these do not.
  const bool monotone = naive::is_monotone(naive::expand(test.type, test.displacement, 0, 2 * test.size()));
  ASSERT_EQ(access.monotone(), monotone);
  if (access.monotone()) {
    int64_t before = 0;
    for (int64_t offset = all.front() - 3; offset <= all.back() + 1; ++offset) {
      ASSERT_EQ(access.data_before(offset), before) << offset;
      if (before < stream && all[static_cast<size_t>(before)] == offset) ++before;
    }
  }
  for (int round = 0; round < 12; ++round) {
    const int64_t begin = generator.pick(0, stream), end = generator.pick(begin, stream);
    const std::vector<int64_t> part(all.begin() + begin, all.begin() + end);
    const Interval bounds = access.bounds(begin, end);
    const auto granule = access.granule(begin, end);
    if (access.monotone_within(end)) {
      ASSERT_TRUE(naive::is_monotone({all.begin(), all.begin() + end}));
    }
    if (access.nest()->monotone() && access.extent() >= 0) {
      std::vector<int64_t> once = part;
      std::ranges::sort(once);
      ASSERT_EQ(access.comes_twice(begin, end), std::ranges::adjacent_find(once) != once.end());
    }
    if (part.empty()) {
      ASSERT_EQ(bounds, (Interval{0, 0}));
      ASSERT_EQ(access.pieces(begin, end), 0);
      ASSERT_EQ(granule.granule, 0);
      continue;
    }
    const auto [low, high] = std::minmax_element(part.begin(), part.end());
    if (monotone) {
      ASSERT_EQ(bounds, (Interval{*low, *high + 1}));
    }
    ASSERT_LE(bounds.begin, *low);
    ASSERT_GE(bounds.end, *high + 1);

    const int64_t pieces = access.pieces(begin, end);
    ASSERT_GE(pieces, naive::count_pieces(part));
    ASSERT_LE(pieces, end - begin);

    ASSERT_GT(granule.granule, 0);
    for (size_t i = 0; i < part.size(); ++i) {
      if (i > 0 && part[i] == part[i - 1] + 1) continue;
      ASSERT_EQ((part[i] - granule.anchor) % granule.granule, 0);
      if (i > 0) {
        ASSERT_EQ((part[i - 1] + 1 - granule.anchor) % granule.granule, 0);
      }
    }
    ASSERT_EQ((part.back() + 1 - granule.anchor) % granule.granule, 0);

    // With a new cursor, with one that is moved, and with one that continues after a pause.
    const int64_t max_bytes = generator.pick(0, 1) == 0 ? generator.pick(1, 40) : stream;
    Cursor fresh(access, begin);
    ASSERT_EQ(walk(fresh, end, max_bytes), part);
    Cursor moved(access);
    const int64_t elsewhere = generator.pick(0, stream - 1);
    moved.seek(elsewhere);
    moved.next(generator.pick(1, 100));
    moved.seek(begin);
    ASSERT_EQ(walk(moved, begin + (end - begin) / 2, max_bytes),
              std::vector<int64_t>(part.begin(), part.begin() + (end - begin) / 2));
    Cursor copied = moved;
    ASSERT_EQ(walk(copied, end, stream), std::vector<int64_t>(part.begin() + (end - begin) / 2, part.end()));
  }
}

TEST(RandomAccesses, EqualTheirExpansion) {
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Generator generator(seed);
    const Case test = make_case(generator, seed % 2 == 0, static_cast<int>(seed % 4));
    check_case(generator, test);
    if (HasFatalFailure()) return;
  }
}

TEST(OverlappingPieces, AreSoughtPieceByPiece) {
  const NestRef same = repeat(Nest::bytes(2), 3, 0);  // the same two bytes three times
  const Access tiled(same, 100, 10);
  EXPECT_EQ(tiled.data_before(100), 0);
  EXPECT_EQ(tiled.data_before(101), 1);
  EXPECT_EQ(tiled.data_before(102), 6);
  EXPECT_EQ(tiled.data_before(110), 6);
  EXPECT_EQ(tiled.data_before(111), 7);
  EXPECT_EQ(tiled.data_before(125), 18);
  const NestRef longer = repeat(Nest::bytes(8), 4, 3);  // [0, 8), [3, 11), [6, 14), [9, 17)
  EXPECT_EQ(Access(longer, 0, 17).data_before(9), 8 + 6);
  EXPECT_EQ(Access(longer, 0, 17).data_before(16), 24 + 7);
}

TEST(RandomAccesses, HashIsThatOfThePattern) {
  std::vector<std::pair<uint64_t, std::vector<int64_t>>> seen;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Generator generator(seed);
    const Case test = make_case(generator, true, static_cast<int>(seed % 4));
    const Access elsewhere = Access::of(test.type.type, test.displacement + 12345);
    ASSERT_EQ(test.access.hash(), elsewhere.hash());
    // A datatype may itself begin elsewhere, as that of the next row of an array does.
    DataType moved = test.type.type;
    moved.nest = Nest::repeat(moved.nest, 1, 0, 678).value();
    ASSERT_EQ(test.access.hash(), Access::of(moved, test.displacement).hash());
    auto bytes = naive::expand(test.type, 0, 0, 2000);
    const int64_t first = bytes.empty() ? 0 : bytes.front();
    for (int64_t& byte : bytes) byte -= first;
    if (test.access.is_contiguous()) {
      for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<int64_t>(i);
    }
    for (const auto& [hash, other] : seen) {
      if (hash == test.access.hash()) {
        ASSERT_EQ(other, bytes) << seed;
      }
    }
    seen.emplace_back(test.access.hash(), std::move(bytes));
  }
}

TEST(RandomAccesses, DataThatLookAlikeAreAlike) {
  std::map<uint64_t, std::vector<int64_t>> seen;
  int64_t alike = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Generator generator(seed);
    const Case test = make_case(generator, true, static_cast<int>(seed % 4));
    const auto all = naive::expand(test.type, test.displacement, 0, 3 * test.size());
    for (int i = 0; i < 50; ++i) {
      const int64_t begin = generator.pick(0, 3 * test.size() - 1);
      const int64_t end = generator.pick(begin + 1, std::min(begin + 30, 3 * test.size()));
      std::vector<int64_t> bytes(all.begin() + begin, all.begin() + end);
      // Whoever takes up what looks alike moves it by the difference of these.
      for (int64_t& byte : bytes) byte -= test.access.bounds(begin, end).begin;
      const auto [found, is_new] = seen.emplace(test.access.look(begin, end), bytes);
      if (is_new) continue;
      ++alike;
      ASSERT_EQ(found->second, bytes) << seed;
    }
  }
  EXPECT_GT(alike, 1000);
}

TEST(Look, IsThatOfTheDataAndNotOfTheView) {
  // Four rows of eight bytes, of a matrix of 100 columns, in each of twenty planes.
  const NestRef rows = repeat(Nest::bytes(8), 4, 100);
  const Access access(repeat(rows, 20, 2000), 50, 1 << 20);
  const uint64_t row = access.look(0, 8);
  EXPECT_EQ(row, access.look(8, 16));
  EXPECT_EQ(row, access.look(32 * 21 + 24, 32 * 21 + 32));  // in the next tile
  EXPECT_EQ(row, Access::contiguous(7).look(3, 11));
  EXPECT_NE(row, access.look(8, 15));
  EXPECT_NE(row, access.look(4, 12));  // halves of two rows
  EXPECT_EQ(access.look(4, 12), access.look(12, 20));
  EXPECT_EQ(access.look(4, 12), Access(repeat(Nest::bytes(8), 40, 100), 0, 5000).look(4, 12));
  EXPECT_NE(access.look(4, 12), Access(repeat(Nest::bytes(8), 40, 101), 0, 5000).look(4, 12));
  EXPECT_EQ(access.look(0, 64), access.look(32, 96));  // two planes
  EXPECT_NE(access.look(0, 64), access.look(8, 72));
  EXPECT_NE(access.look(0, 64), access.look(32 * 19, 32 * 21));  // the second plane lies in the next tile
  EXPECT_EQ(access.look(0, 700), access.look(32 * 20, 32 * 20 + 700));
  EXPECT_EQ(access.look(3, 3), Access().look(0, 0));
}

TEST(InterleavedTiles, HaveAnEndInTheFirstTileThatReachesIt) {
  const Access columns(repeat(Nest::bytes(2), 4, 20), 100, 2);  // column k is tile k
  EXPECT_EQ(columns.data_before(100 + 4 * 20), 10 * 8);         // behind the last of ten columns
  EXPECT_EQ(columns.data_before(100 + 3 * 20 + 4), 8 + 8);      // behind the second
  EXPECT_EQ(columns.data_before(100 + 3 * 20 + 3), 8 + 7);
  EXPECT_EQ(columns.data_before(101), 1);
  const Access integers(Nest::bytes(4), 0, 2);
  EXPECT_EQ(integers.data_before(100), 48 * 4 + 4);
}

TEST(InterleavedTiles, AreMonotoneFromEachTileOn) {
  const Access columns(repeat(Nest::bytes(2), 4, 20), 100, 2);
  EXPECT_FALSE(columns.monotone_within(9));
  const Access third = columns.from_tile(2).value();
  EXPECT_TRUE(third.monotone_within(8));
  for (int64_t p = 0; p < 40; ++p) EXPECT_EQ(third.offset_of(p), columns.offset_of(16 + p));
  EXPECT_FALSE(columns.from_tile(std::numeric_limits<int64_t>::max() / 2).has_value());
}

TEST(ContiguousAccess, IsOneEndlessPiece) {
  const auto tiled = type_contiguous(100, type_bytes(12)).value();
  for (const Access& access : {Access::contiguous(50), Access::of(tiled, 50)}) {
    EXPECT_TRUE(access.is_contiguous());
    EXPECT_TRUE(access.monotone());
    EXPECT_EQ(access.pieces(7, 1000000), 1);
    EXPECT_EQ(access.bounds(10, 20), (Interval{60, 70}));
    EXPECT_EQ(access.data_before(40), 0);
    EXPECT_EQ(access.data_before(1050), 1000);
    EXPECT_EQ(access.granule(14, 14 + 4096).granule, 4096);
    EXPECT_EQ(access.granule(14, 14 + 4096).anchor, 64);
    Cursor cursor(access, 5);
    const Chunk chunk = cursor.next(int64_t{1} << 40);
    EXPECT_EQ(chunk.count, 1);
    EXPECT_EQ(chunk.base, 55);
    EXPECT_EQ(chunk.length, int64_t{1} << 40);
  }
  EXPECT_EQ(Access::contiguous(3).hash(), Access::of(tiled, 0).hash());
}

TEST(ContiguousAccess, OfAPieceAwayFromTheOriginBeginsThere) {
  const std::vector<int64_t> one{1}, at{100};
  const auto far = type_resized(type_hindexed(one, at, type_bytes(16)).value(), 0, 16).value();
  const Access access = Access::of(far, 8);
  EXPECT_TRUE(access.is_contiguous());
  EXPECT_EQ(access.displacement(), 108);
  EXPECT_EQ(access.offset_of(20), 128);
}

// The most common file views: whatever the filetype's own count, chunks contain any number of pieces.
TEST(TiledView, OfOnePieceATileIsOneEndlessRun) {
  const auto resized = type_resized(type_bytes(64), 0, 128).value();
  const auto vector = type_resized(type_vector(10, 1, 2, type_bytes(64)).value(), 0, 1280).value();
  const auto padded = type_resized(type_contiguous(3, type_bytes(4)).value(), 0, 16).value();
  for (const DataType& type : {resized, vector, padded}) {
    const Access access = Access::of(type, 640);
    const int64_t length = access.nest()->run().length;
    EXPECT_TRUE(access.monotone());
    Cursor cursor(access, 10 * length);
    const Chunk chunk = cursor.next(5000 * length);
    EXPECT_EQ(chunk.count, 5000);
    EXPECT_EQ(chunk.length, length);
    EXPECT_EQ(chunk.stride, access.extent());
    EXPECT_EQ(chunk.base, 640 + 10 * access.extent());
    EXPECT_EQ(access.pieces(0, 777 * length), 777);
  }
  EXPECT_EQ(Access::of(resized, 0).hash(), Access::of(vector, 64).hash());
}

TEST(TiledView, OfRowsThatContinueIsOneEndlessLoop) {
  const std::vector<int64_t> sizes{4, 100}, subsizes{4, 10}, starts{0, 20};
  const auto rows = type_subarray(sizes, subsizes, starts, ArrayOrder::c, type_bytes(8)).value();
  const Access access = Access::of(rows, 0);
  Cursor cursor(access);
  const Chunk chunk = cursor.next(80 * 1000);
  EXPECT_EQ(chunk.count, 1000);
  EXPECT_EQ(chunk.base, 160);
  EXPECT_EQ(chunk.stride, 800);
}

// If few tiles of an access are used, it has the same bytes, but no lists of the pieces of many tiles.
TEST(TiledView, LooksAlikeFromEachTileOn) {
  const Access pieces(repeat(Nest::bytes(3), 5, 10), 7, 100);
  EXPECT_EQ(pieces.period_bytes(), 15);
  EXPECT_GT(pieces.nest()->size(), 15) << "tiles of few pieces are repeated";
  EXPECT_EQ(Access(repeat(Nest::bytes(3), 500, 10), 7, 10000).period_bytes(), 1500);
  EXPECT_EQ(Access(repeat(Nest::bytes(3), 5, 10), 7, 50).period_bytes(), 3) << "an endless run";
}

TEST(TiledView, OfFewTilesHasTheSameBytes) {
  const auto vector = type_vector(3, 5, 8, type_bytes(1)).value();
  const Access many = Access::of(vector, 7), few = Access::of(vector, 7, 2);
  EXPECT_LT(few.nest()->pieces(), many.nest()->pieces());
  Cursor of_many(many), of_few(few);
  EXPECT_EQ(walk(of_few, 1000, 1000), walk(of_many, 1000, 1000));
}

TEST(Vector, HasExactlyItsPieces) {
  const auto vector = type_vector(1000, 1, 3, type_bytes(8)).value();
  const Access access = Access::of(vector, 0);
  EXPECT_EQ(access.pieces(0, 8000), 1000);
  EXPECT_EQ(access.pieces(4, 7996), 1000);
  EXPECT_EQ(access.pieces(4, 12), 2);
  EXPECT_EQ(access.pieces(8, 16), 1);
  EXPECT_EQ(access.granule(0, 8000).granule, 8);
  EXPECT_EQ(access.granule(4, 8000).granule, 4);
}

TEST(Cursor, HandsOutAWholeListAtOnce) {
  std::vector<int64_t> at;
  for (int64_t i = 0; i < 5000; ++i) at.push_back(i * 100 + i * i % 30);
  const auto type = type_hindexed_block(1, at, type_bytes(16)).value();
  const Access access = Access::of(type, 1000);
  Cursor cursor(access, 16 * 100);
  const Chunk chunk = cursor.next(16 * 4000);
  EXPECT_EQ(chunk.count, 4000);
  EXPECT_NE(chunk.offsets, nullptr);
  EXPECT_EQ(chunk.offset(7), 1000 + at[107]);
}

// Where it owned memory, a walk could fail for want of it.
static_assert(std::is_trivially_destructible_v<Cursor>);

TEST(Cursor, ReachesDeeperThanTheLevelsItRemembers) {
  // 24 levels, none of which continues the one below it.
  naive::Type type;
  type.type = type_bytes(1);
  type.bytes = {0};
  type.upper_bound = 1;
  for (int level = 0; level < 12; ++level) {
    naive::Typemap map;
    const int64_t stride = type.extent() + 1 + level % 3;
    map.add(type, 0);
    map.add(type, stride);
    const naive::Type inner = map.finish(type_hvector(2, 1, stride, type.type));
    naive::Typemap both;
    naive::Type byte;
    byte.bytes = {0};
    byte.upper_bound = 1;
    both.add(byte, -2);
    both.add(inner, 1);
    const std::vector<int64_t> lengths{1, 1}, at{-2, 1};
    const std::vector<DataType> types{type_bytes(1), inner.type};
    type = both.finish(type_struct(lengths, at, types));
  }
  Generator generator(5);
  const Access access = Access::of(type.type, 9);
  const int64_t stream = 3 * static_cast<int64_t>(type.bytes.size());
  for (int round = 0; round < 50; ++round) {
    const int64_t begin = generator.pick(0, stream), end = std::min(stream, begin + generator.pick(0, 500));
    Cursor cursor(access, begin);
    ASSERT_EQ(walk(cursor, end, generator.pick(1, 50)), naive::expand(type, 9, begin, end));
  }
}

// Ten thousand million pieces. Any question about any place takes a few steps.
TEST(HugePattern, IsWalkedAndSoughtWithoutExpanding) {
  NestRef nest = Nest::bytes(4);
  int64_t distance = 7;
  for (int level = 0; level < 5; ++level) {
    nest = repeat(nest, 100, distance);
    distance = distance * 100 + 3;
  }
  const Access access(nest, 11, distance);
  EXPECT_EQ(nest->pieces(), 10000000000);
  EXPECT_LT(nest->memory_bytes(), 4000);
  EXPECT_TRUE(access.monotone());
  Generator generator(3);
  for (int round = 0; round < 20000; ++round) {
    const int64_t position = generator.pick(0, 3 * nest->size());
    int64_t expected = 11 + position % 4, stride = 7;
    int64_t piece = position / 4;
    for (int level = 0; level < 5; ++level) {
      expected += piece % 100 * stride;
      piece /= 100;
      stride = stride * 100 + 3;
    }
    expected += piece * distance;
    ASSERT_EQ(access.offset_of(position), expected);
    ASSERT_EQ(access.data_before(expected), position);
    Cursor cursor(access, position);
    const Chunk chunk = cursor.next(1000);
    ASSERT_EQ(chunk.offset(0), expected);
    const Chunk after = cursor.next(1000);
    ASSERT_EQ(after.offset(0), access.offset_of(position + chunk.bytes()));
  }
  EXPECT_EQ(access.pieces(0, 3 * nest->size()), 30000000000);
  EXPECT_EQ(access.bounds(0, nest->size()), (Interval{11, 11 + nest->upper()}));
}

TEST(MillionParts, AreSoughtByBinarySearch) {
  const NestRef child =
      Nest::blocks({.offsets = std::vector<int64_t>{0, 10, 30}, .lengths = std::vector<int64_t>{4}}).value();
  std::vector<Nest::Part> parts;
  for (int64_t i = 0; i < 1000000; ++i) parts.push_back({i * 50 + i % 7, 0, child});
  const NestRef nest = Nest::sequence(std::move(parts)).value();
  const Access access(nest, 0, 50000100);
  Generator generator(4);
  for (int round = 0; round < 20000; ++round) {
    const int64_t part = generator.pick(0, 999999), offset = part * 50 + part % 7 + 10;
    ASSERT_EQ(access.offset_of(part * 12 + 4), offset);
    ASSERT_EQ(access.data_before(offset), part * 12 + 4);
    ASSERT_EQ(access.pieces(0, part * 12 + 4), part * 3 + 1);
  }
}

TEST(Granule, OfTwoSetsDividesBoth) {
  const auto both = combine({64, 0}, {64, 32});
  EXPECT_EQ(both.granule, 32);
  EXPECT_EQ(both.anchor, 0);
  EXPECT_EQ(combine({48, 5}, {0, 0}).granule, 48);
  EXPECT_EQ(combine({0, 0}, {48, 5}).anchor, 5);
  EXPECT_EQ(combine({48, 5}, {36, 17}).granule, 12);
  EXPECT_EQ(combine({48, 5}, {36, 17}).anchor, 5);
}

TEST(EmptyAccess, AnswersEverything) {
  const Access access(Nest::empty(), 10, 16);
  EXPECT_TRUE(access.empty());
  EXPECT_TRUE(access.monotone());
  EXPECT_EQ(access.bounds(0, 0), (Interval{0, 0}));
  EXPECT_EQ(access.pieces(0, 0), 0);
  EXPECT_EQ(access.data_before(100), 0);
  EXPECT_EQ(access.granule(0, 0).granule, 0);
  EXPECT_EQ(Access().hash(), access.hash());
  const Cursor cursor(access);
  EXPECT_EQ(cursor.position(), 0);
}

TEST(OffsetOf, SaturatesBeyond64Bits) {
  const auto sparse = type_resized(type_bytes(1), 0, int64_t{1} << 40).value();
  const Access access = Access::of(sparse, 0);
  EXPECT_EQ(access.offset_of(int64_t{1} << 30), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(access.offset_of(int64_t{1} << 20), int64_t{1} << 60);
  EXPECT_EQ(access.exact_offset_of(int64_t{1} << 20), int64_t{1} << 60);
  EXPECT_EQ(access.exact_offset_of(int64_t{1} << 30), std::nullopt);
}

TEST(Reaches, EndsWithTheLastByteThat64BitsHold) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  const Access plain = Access::contiguous(most - 10);
  EXPECT_TRUE(plain.reaches(0, 10));
  EXPECT_FALSE(plain.reaches(0, 11));
  EXPECT_TRUE(plain.reaches(1000, 1000));
  // Holes after the data do not count if no later tile is needed.
  const Access tiled = Access::of(type_resized(type_bytes(4), 0, 100).value(), most - 110);
  EXPECT_TRUE(tiled.reaches(0, 8));
  EXPECT_FALSE(tiled.reaches(8, 9));
  EXPECT_FALSE(tiled.reaches(0, 9));
  // If tiles overlap, the outermost byte counts, wherever it is in the stream.
  const Access backwards = Access::of(type_resized(type_bytes(4), 0, -2).value(), most - 4);
  EXPECT_TRUE(backwards.reaches(0, 8));
  EXPECT_FALSE(Access::of(type_resized(type_bytes(4), 0, -2).value(), most - 3).reaches(0, 8));
}

TEST(Cursor, StandsBehindTheLastTileThat64BitsHold) {
  const auto pair = type_vector(2, 1, 3, type_bytes(1)).value();
  const auto tile = type_resized(pair, 0, int64_t{1} << 62).value();
  const Access access = Access::of(tile, 5);
  Cursor cursor(access, 4);
  EXPECT_EQ(cursor.position(), 4);
  cursor.seek(2);
  EXPECT_EQ(walk(cursor, 4, 10), (std::vector<int64_t>{5 + (int64_t{1} << 62), 8 + (int64_t{1} << 62)}));
}

}  // namespace
}  // namespace concilio::pattern::access_test
