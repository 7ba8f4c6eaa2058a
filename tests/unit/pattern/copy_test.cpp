#include "pattern/copy.h"

#include <gtest/gtest.h>

#include <cstring>

#include "pattern/rectangles.h"
#include "unit/pattern/naive_types.h"

namespace concilio::pattern {
namespace {

using naive::Generator;

// One side of a random copy: an access, its memory, and the list of its bytes.
struct TestSide {
  naive::Type type;
  Access access;
  int64_t position = 0, origin = 0;
  std::vector<int64_t> bytes;     // offsets
  std::vector<std::byte> memory;  // holds [low - margin, high + margin)
  Side side() { return Side{&access, position, memory.data(), origin}; }
  std::byte& at(int64_t offset) { return memory[static_cast<size_t>(offset - origin)]; }
};

TestSide make_side(Generator& generator, int kind, int64_t bytes) {
  TestSide result;
  do {
    result.type = generator.make(kind % 4, kind % 3 == 0);
  } while (result.type.bytes.empty());
  const int64_t displacement = generator.pick(-500, 500);
  result.access = Access::of(result.type.type, displacement);
  result.position = generator.pick(0, 2 * static_cast<int64_t>(result.type.bytes.size()));
  result.bytes = naive::expand(result.type, displacement, result.position, result.position + bytes);
  const auto [low, high] = std::minmax_element(result.bytes.begin(), result.bytes.end());
  result.origin = *low - generator.pick(0, 70);
  result.memory.resize(static_cast<size_t>(*high + 1 - result.origin + 70));
  return result;
}

void fill(std::vector<std::byte>& memory, Generator& generator) {
  for (auto& byte : memory) byte = static_cast<std::byte>(generator.pick(0, 255));
}

void check_copy(TestSide& from, TestSide& to, int64_t bytes, Generator& generator) {
  fill(from.memory, generator);
  fill(to.memory, generator);
  const auto before = to.memory;
  auto expected = to.memory;
  for (int64_t i = 0; i < bytes; ++i) {
    expected[static_cast<size_t>(to.bytes[static_cast<size_t>(i)] - to.origin)] =
        from.at(from.bytes[static_cast<size_t>(i)]);
  }
  copy(from.side(), to.side(), bytes);
  ASSERT_TRUE(to.memory == expected);
  // The same by rectangles, which somebody else copies.
  to.memory = before;
  ASSERT_TRUE(for_each_rectangle(from.side(), to.side(), bytes, [](const Rectangle& each) -> Status {
    for (int64_t i = 0; i < each.count; ++i)
      std::memcpy(each.second + i * each.second_stride, each.first + i * each.first_stride,
                  static_cast<size_t>(each.length));
    return {};
  }));
  ASSERT_TRUE(to.memory == expected);
}

TEST(Copy, OfRegularPiecesIsOneRectangle) {
  const auto count = [](const Access& first, const Access& second, int64_t bytes) {
    int rectangles = 0;
    EXPECT_TRUE(for_each_rectangle({&first, 0, nullptr}, {&second, 0, nullptr}, bytes,
                                   [&](const Rectangle&) -> Status {
                                     ++rectangles;
                                     return {};
                                   }));
    return rectangles;
  };
  const auto every = [](int64_t length, int64_t stride) {
    return Access(*Nest::repeat(Nest::bytes(length), 1000, stride), 0, 1000 * stride);
  };
  const Access bytes = Access::contiguous(0);
  EXPECT_EQ(count(every(8, 20), bytes, 8000), 1);
  EXPECT_EQ(count(bytes, every(8, 20), 8000), 1);
  EXPECT_EQ(count(every(8, 20), every(8, 30), 8000), 1);
  EXPECT_EQ(count(every(8, 20), every(24, 30), 8000), 334);
}

TEST(Copy, BetweenRandomAccesses) {
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Generator generator(seed);
    const int64_t bytes = generator.pick(1, seed % 5 == 0 ? 5000 : 300);
    TestSide from = make_side(generator, static_cast<int>(generator.pick(0, 11)), bytes);
    TestSide to = make_side(generator, static_cast<int>(generator.pick(0, 11)), bytes);
    check_copy(from, to, bytes, generator);
    if (HasFatalFailure()) return;
  }
}

enum class Shape { contiguous, strided, listed, loop, varied };

// Pieces of `length` bytes in the given shape. None is cut at either end.
naive::Type shaped(Shape shape, int64_t length, Generator& generator) {
  naive::Type piece;
  piece.type = type_bytes(length);
  for (int64_t b = 0; b < length; ++b) piece.bytes.push_back(b);
  piece.upper_bound = length;
  naive::Typemap map;
  std::vector<int64_t> at, lengths;
  switch (shape) {
    case Shape::contiguous:
      return piece;
    case Shape::strided:
      for (int64_t i = 0; i < 20; ++i) map.add(piece, i * (length + 5));
      return map.finish(type_hvector(20, 1, length + 5, piece.type));
    case Shape::loop: {
      for (int64_t i = 0; i < 4; ++i) map.add(piece, i * (length + 3));
      const naive::Type row = map.finish(type_hvector(4, 1, length + 3, piece.type));
      naive::Typemap rows;
      for (int64_t i = 0; i < 5; ++i) rows.add(row, i * (row.extent() + 40));
      return rows.finish(type_hvector(5, 1, row.extent() + 40, row.type));
    }
    default:
      for (int64_t i = 0, end = 0; i < 20; ++i) {
        at.push_back(end);
        lengths.push_back(shape == Shape::varied ? generator.pick(1, 2) : 1);
        for (int64_t j = 0; j < lengths.back(); ++j) map.add(piece, end + j * length);
        end += length * lengths.back() + generator.pick(1, 30);
      }
      return map.finish(type_hindexed(lengths, at, piece.type));
  }
}

// Every kernel length, between every two shapes, at every alignment that the origins give.
TEST(Copy, EveryPieceLengthBetweenEveryShape) {
  const Shape shapes[] = {Shape::contiguous, Shape::strided, Shape::listed, Shape::loop, Shape::varied};
  Generator generator(99);
  for (int64_t length : {1,  2,  3,  4,  5,   6,   7,   8,   9,   12,  15,  16,  17,  24,  31,  32,  33,
                         48, 63, 64, 65, 100, 127, 128, 129, 192, 200, 256, 320, 500, 512, 513, 700, 1000}) {
    for (Shape from_shape : shapes) {
      for (Shape to_shape : shapes) {
        TestSide from, to;
        const int64_t bytes = length * 40;
        for (auto [side, shape] : {std::pair{&from, from_shape}, std::pair{&to, to_shape}}) {
          side->type = shaped(shape, length, generator);
          side->access = Access::of(side->type.type, 0);
          side->bytes = naive::expand(side->type, 0, 0, bytes);
          side->origin = -generator.pick(0, 63);
          side->memory.resize(static_cast<size_t>(side->bytes.back() + 70 - side->origin));
        }
        check_copy(from, to, bytes, generator);
        ASSERT_FALSE(HasFatalFailure())
            << length << " from " << static_cast<int>(from_shape) << " to " << static_cast<int>(to_shape);
      }
    }
  }
}

TEST(Copy, OfNothingTouchesNothing) {
  const Access access = Access::contiguous(0);
  copy(Side{&access, 0, nullptr}, Side{&access, 0, nullptr}, 0);
  std::byte byte{7}, other{9};
  copy(Side{&access, 0, &byte}, Side{&access, 0, &other}, 0);
  EXPECT_EQ(other, std::byte{9});
}

// With MPI_BOTTOM, displacements are addresses.
TEST(Copy, FromAbsoluteAddresses) {
  std::vector<std::byte> source(100, std::byte{5}), target(100);
  const auto type = type_vector(10, 5, 10, type_bytes(1)).value();
  const Access access = Access::of(type, reinterpret_cast<int64_t>(source.data()));
  const Access contiguous = Access::contiguous(0);
  copy(Side{&access, 0, nullptr}, Side{&contiguous, 0, target.data()}, 50);
  EXPECT_EQ(std::count(target.begin(), target.end(), std::byte{5}), 50);
}

// A map with guard bytes around it, and the window as a plain list of covered bytes.
struct MapCase {
  Interval window;
  Access::Granule granule;
  std::vector<std::uint8_t> memory;
  std::vector<bool> covered;
  CoverageMap map;
  static constexpr size_t guard = 16;

  MapCase(Interval window, Access::Granule granule)
      : window(window),
        granule(granule),
        memory(static_cast<size_t>(CoverageMap::bytes_needed(window.length(), granule.granule)) + 2 * guard,
               0xAA),
        covered(static_cast<size_t>(window.length())),
        map(memory.data() + guard, window, granule) {
    map.clear();
  }

  void cover(int64_t offset) { covered[static_cast<size_t>(offset - window.begin)] = true; }
  bool is_covered(int64_t offset) const { return covered[static_cast<size_t>(offset - window.begin)]; }

  Interval next(int64_t from, bool value) const {
    int64_t begin = std::max(from, window.begin);
    while (begin < window.end && is_covered(begin) != value) ++begin;
    int64_t end = begin;
    while (end < window.end && is_covered(end) == value) ++end;
    return {begin, end};
  }

  void check() const {
    ASSERT_EQ(map.full(), std::all_of(covered.begin(), covered.end(), [](bool c) { return c; }));
    ASSERT_EQ(map.covered_bytes(), std::count(covered.begin(), covered.end(), true));
    for (int64_t from = window.begin - 3; from <= window.end; from += 1 + window.length() / 40) {
      for (bool value : {false, true}) {
        const Interval expected = next(from, value),
                       found = value ? map.next_covered(from) : map.next_hole(from);
        if (expected.empty())
          ASSERT_TRUE(found.empty());
        else
          ASSERT_EQ(found, expected) << from << (value ? " covered" : " hole");
      }
    }
    for (size_t i = 0; i < guard; ++i) {
      ASSERT_EQ(memory[i], 0xAA);
      ASSERT_EQ(memory[memory.size() - 1 - i], 0xAA);
    }
  }
};

TEST(CoverageMap, OfRandomAccessesInEveryWindow) {
  int checked = 0;
  for (uint64_t seed = 0; checked < 1500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Generator generator(seed);
    naive::Type types[2];
    Access accesses[2];
    Interval data[2];
    int64_t displacements[2];
    Access::Granule granule;
    bool usable = true;
    int64_t low = 0, high = 0;
    for (int i = 0; i < 2; ++i) {
      types[i] = generator.make(static_cast<int>(seed % 4), true);
      displacements[i] = generator.pick(0, 20) * 8;
      accesses[i] = Access::of(types[i].type, displacements[i]);
      if (types[i].bytes.empty() || !accesses[i].monotone()) {
        usable = false;
        break;
      }
      data[i].begin = generator.pick(0, 50);
      data[i].end = data[i].begin + generator.pick(1, 700);
      granule = combine(granule, accesses[i].granule(data[i].begin, data[i].end));
      const Interval bounds = accesses[i].bounds(data[i].begin, data[i].end);
      low = i == 0 ? bounds.begin : std::min(low, bounds.begin);
      high = i == 0 ? bounds.end : std::max(high, bounds.end);
    }
    if (!usable || high - low > 100000) continue;
    ++checked;
    const int64_t begin = generator.pick(low - 10, high), window_bytes = generator.pick(1, 900);
    MapCase test(Interval{begin, begin + window_bytes}, granule);
    for (int i = 0; i < 2; ++i) {
      // The part of the data in the window, as an aggregator finds it.
      const int64_t first = std::max(data[i].begin, accesses[i].data_before(test.window.begin));
      const int64_t last = std::min(data[i].end, accesses[i].data_before(test.window.end));
      test.map.mark(accesses[i], first, last);
      for (int64_t p = first; p < last; ++p) test.cover(naive::offset_of(types[i], displacements[i], p));
    }
    test.check();
    if (HasFatalFailure()) return;
  }
}

TEST(CoverageMap, OfAWindowThatIsFilledPieceByPiece) {
  MapCase test(Interval{1000, 1000 + 64 * 100}, {64, 1000 % 64});
  const auto even = type_resized(type_bytes(64), 0, 128).value();
  const Access first = Access::of(even, 1000), second = Access::of(even, 1064);
  test.map.mark(first, 0, 64 * 50);
  EXPECT_FALSE(test.map.full());
  EXPECT_EQ(test.map.covered_bytes(), 64 * 50);
  EXPECT_EQ(test.map.next_hole(0), (Interval{1064, 1128}));
  test.map.mark(second, 0, 64 * 49);
  EXPECT_EQ(test.map.next_hole(0), (Interval{1000 + 64 * 99, 1000 + 64 * 100}));
  test.map.mark(second, 64 * 49, 64 * 50);
  EXPECT_TRUE(test.map.full());
  EXPECT_TRUE(test.map.next_hole(0).empty());
  EXPECT_EQ(test.map.next_covered(0), test.window);
  test.map.clear();
  EXPECT_EQ(test.map.covered_bytes(), 0);
}

TEST(CoverageMap, WithGranulesCutByBothBorders) {
  // The grid of 10 is anchored at 3: granules ..., [93, 103), [103, 113), [113, 123), ...
  MapCase test(Interval{100, 119}, {10, 3});
  test.map.mark(Interval{93, 103});
  for (int64_t o = 100; o < 103; ++o) test.cover(o);
  test.check();
  test.map.mark(Interval{113, 200});
  for (int64_t o = 113; o < 119; ++o) test.cover(o);
  test.check();
  test.map.mark(Interval{103, 113});
  for (int64_t o = 103; o < 113; ++o) test.cover(o);
  test.check();
}

TEST(CoverageMap, OutsideTheWindowMarksNothing) {
  MapCase test(Interval{100, 200}, {4, 0});
  test.map.mark(Interval{0, 100});
  test.map.mark(Interval{200, 300});
  test.map.mark(Interval{150, 150});
  test.check();
}

TEST(CoverageMap, WithoutDataIsOneHole) {
  MapCase test(Interval{100, 200}, {0, 0});
  test.check();
  EXPECT_EQ(test.map.next_hole(0), test.window);
}

}  // namespace
}  // namespace concilio::pattern
