#include "pattern/copy.h"

#include <gtest/gtest.h>

#include <cstring>

#include "pattern/boxes.h"
#include "unit/pattern/naive_types.h"

namespace concilio::pattern::copy_test {
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
  // The same by boxes, which somebody else copies.
  to.memory = before;
  ASSERT_TRUE(for_each_box(from.side(), to.side(), bytes, [](const Box& each) -> Status {
    for (int64_t plane = 0; plane < each.planes; ++plane)
      for (int64_t row = 0; row < each.rows; ++row)
        std::memcpy(each.second.piece(plane, row), each.first.piece(plane, row),
                    static_cast<size_t>(each.length));
    return {};
  }));
  ASSERT_TRUE(to.memory == expected);
}

int boxes(const Access& first, const Access& second, int64_t bytes) {
  int count = 0;
  EXPECT_TRUE(for_each_box({&first, 0, nullptr}, {&second, 0, nullptr}, bytes, [&](const Box&) -> Status {
    ++count;
    return {};
  }));
  return count;
}

TEST(Copy, OfRegularPiecesIsOneBox) {
  const auto every = [](int64_t length, int64_t stride) {
    return Access(*Nest::repeat(Nest::bytes(length), 1000, stride), 0, 1000 * stride);
  };
  const Access bytes = Access::contiguous(0);
  EXPECT_EQ(boxes(every(8, 20), bytes, 8000), 1);
  EXPECT_EQ(boxes(bytes, every(8, 20), 8000), 1);
  EXPECT_EQ(boxes(every(8, 20), every(8, 30), 8000), 1);
  EXPECT_EQ(boxes(every(8, 20), every(24, 30), 8000), 2) << "planes of three, and one is left";
}

TEST(Copy, OfRegularPlanesIsOneBox) {
  // 10 planes of 20 rows of 8 bytes.
  const auto block = [](int64_t row_stride, int64_t plane_stride) {
    return Access(*Nest::repeat(*Nest::repeat(Nest::bytes(8), 20, row_stride), 10, plane_stride), 0,
                  10 * plane_stride);
  };
  const Access bytes = Access::contiguous(0);
  EXPECT_EQ(boxes(block(16, 400), bytes, 1600), 1);
  EXPECT_EQ(boxes(bytes, block(16, 400), 1600), 1);
  EXPECT_EQ(boxes(block(16, 400), block(24, 1000), 1600), 1);
  EXPECT_EQ(boxes(block(16, 400), block(24, 1000), 1604), 2);
  // 10 planes of two pieces, which are a list.
  const NestRef pair = *Nest::sequence({{0, 0, Nest::bytes(8)}, {50, 0, Nest::bytes(8)}});
  EXPECT_EQ(boxes(Access(*Nest::repeat(pair, 10, 100), 0, 1000), bytes, 160), 1);
  EXPECT_EQ(boxes(Access(*Nest::repeat(pair, 10, 101), 0, 1010), bytes, 160), 1);
  // The distances between all three pieces of a tile differ.
  const std::vector<int64_t> offsets{0, 20, 70}, lengths{8};
  const NestRef three = *Nest::blocks({Numbers(offsets), Numbers(lengths)});
  EXPECT_EQ(boxes(Access(three, 0, 1000), bytes, 24), 2);
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

}  // namespace
}  // namespace concilio::pattern::copy_test
