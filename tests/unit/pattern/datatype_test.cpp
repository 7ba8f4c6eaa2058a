#include "pattern/datatype.h"

#include <gtest/gtest.h>

#include <limits>

#include "pattern/access.h"
#include "unit/pattern/naive_types.h"

namespace concilio::pattern::datatype_test {
namespace {

using naive::Generator;

constexpr int64_t huge = std::numeric_limits<int64_t>::max();

std::vector<int64_t> bytes_of(const DataType& type) {
  std::vector<int64_t> bytes;
  const Access access(type.nest, 0, 0);
  for (int64_t p = 0; p < type.size(); ++p) bytes.push_back(access.offset_of(p));
  return bytes;
}

void expect_matches(const naive::Type& expected) {
  const DataType& type = expected.type;
  ASSERT_EQ(type.size(), static_cast<int64_t>(expected.bytes.size()));
  ASSERT_EQ(bytes_of(type), expected.bytes);
  ASSERT_EQ(type.lower_bound, expected.lower_bound);
  ASSERT_EQ(type.extent, expected.extent());
  if (expected.bytes.empty()) {
    EXPECT_EQ(type.nest->kind(), Nest::Kind::empty);
    return;
  }
  const auto [low, high] = std::minmax_element(expected.bytes.begin(), expected.bytes.end());
  EXPECT_EQ(type.nest->lower(), *low);
  EXPECT_EQ(type.nest->upper(), *high + 1);
  EXPECT_EQ(type.nest->monotone(), naive::is_monotone(expected.bytes));
  EXPECT_GE(type.nest->pieces(), naive::count_pieces(expected.bytes));
  // Every piece begins and ends at a multiple of the granule.
  const int64_t granule = type.nest->granule();
  ASSERT_GT(granule, 0);
  for (size_t i = 0; i < expected.bytes.size(); ++i) {
    if (i == 0 || expected.bytes[i] != expected.bytes[i - 1] + 1) {
      EXPECT_EQ((expected.bytes[i] - *low) % granule, 0);
      if (i > 0) {
        EXPECT_EQ((expected.bytes[i - 1] + 1 - *low) % granule, 0);
      }
    }
  }
  EXPECT_EQ((expected.bytes.back() + 1 - *low) % granule, 0);
}

TEST(RandomDatatypes, EqualTheStandardsTypemap) {
  for (uint64_t seed = 0; seed < 6000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Generator generator(seed);
    expect_matches(generator.make(static_cast<int>(seed % 4), seed % 3 == 0));
    if (HasFatalFailure()) return;
  }
}

TEST(Subarray, EqualsItsDefinitionInBothOrders) {
  Generator generator(7);
  for (int round = 0; round < 500; ++round) {
    tests::TypeSpec array;
    array.kind = tests::Kind::subarray;
    array.children = {tests::basic("DOUBLE")};
    for (int64_t d = generator.pick(1, 4); d > 0; --d) {
      array.sizes.push_back(static_cast<int>(generator.pick(1, 7)));
      array.subsizes.push_back(static_cast<int>(generator.pick(1, array.sizes.back())));
      array.starts.push_back(static_cast<int>(generator.pick(0, array.sizes.back() - array.subsizes.back())));
    }
    expect_matches(naive::both_ways(array));
    array.fortran = true;
    expect_matches(naive::both_ways(array));
    if (HasFatalFailure()) return;
  }
}

TEST(Darray, RanksPartitionTheArray) {
  using tests::Spread;
  Generator generator(11);
  for (int round = 0; round < 300; ++round) {
    tests::TypeSpec array;
    array.kind = tests::Kind::darray;
    array.children = {tests::basic("SHORT")};
    int64_t elements = 1;
    for (int64_t d = generator.pick(1, 3); d > 0; --d) {
      const int size = static_cast<int>(generator.pick(1, 11));
      const auto spread = static_cast<Spread>(generator.pick(0, 2));
      const int processes = spread == Spread::none ? 1 : static_cast<int>(generator.pick(1, 4));
      int argument = tests::default_argument;
      if (generator.pick(0, 1) == 0) {
        const int least = spread == Spread::block ? (size - 1) / processes + 1 : 1;
        argument = static_cast<int>(generator.pick(least, 15));
      }
      array.sizes.push_back(size);
      array.distributions.push_back(spread);
      array.grid.push_back(processes);
      array.arguments.push_back(argument);
      array.ranks *= processes;
      elements *= size;
    }
    array.fortran = generator.pick(0, 1) == 1;
    std::vector<int> owners(static_cast<size_t>(elements * 2));
    for (array.rank = 0; array.rank < array.ranks; ++array.rank) {
      const naive::Type part = naive::both_ways(array);
      expect_matches(part);
      if (HasFatalFailure()) return;
      for (int64_t byte : part.bytes) ++owners[static_cast<size_t>(byte)];
    }
    EXPECT_EQ(std::count(owners.begin(), owners.end(), 1), elements * 2);
  }
}

// The second process of three owns blocks 1 and 4 of an array of ten with three elements a block. The
// expected values were worked out by hand.
TEST(Darray, CyclicWithAPartialLastBlock) {
  const std::vector<int64_t> sizes{14}, arguments{3}, processes{3};
  const std::vector<Distribution> distributions{Distribution::cyclic};
  const auto type =
      type_darray(3, 1, sizes, distributions, arguments, processes, ArrayOrder::c, type_bytes(1)).value();
  EXPECT_EQ(bytes_of(type), (std::vector<int64_t>{3, 4, 5, 12, 13}));
  EXPECT_EQ(type.extent, 14);
}

TEST(Darray, BlocksFarLargerThanTheArray) {
  const std::vector<int64_t> sizes{10}, arguments{huge / 2}, processes{4};
  const std::vector<Distribution> distributions{Distribution::cyclic};
  for (int64_t rank = 0; rank < 4; ++rank) {
    const auto type =
        type_darray(4, rank, sizes, distributions, arguments, processes, ArrayOrder::c, type_bytes(4))
            .value();
    EXPECT_EQ(type.size(), rank == 0 ? 40 : 0);
    EXPECT_EQ(type.extent, 40);
  }
}

TEST(ForbiddenArguments, AreDatatypeErrors) {
  const DataType old = type_bytes(4);
  const std::vector<int64_t> minus{-1}, one{1}, zero{0}, two{2}, pair{1, 1}, four{4};
  const std::vector<DataType> types{old};
  const std::vector<Distribution> none{Distribution::none}, block{Distribution::block},
      cyclic{Distribution::cyclic};
  const auto kind = [](const Result<DataType>& result) {
    return result.ok() ? ErrorKind::none : result.error().kind;
  };
  EXPECT_EQ(kind(type_contiguous(-1, old)), ErrorKind::datatype);
  EXPECT_EQ(kind(type_vector(-1, 1, 1, old)), ErrorKind::datatype);
  EXPECT_EQ(kind(type_vector(1, -1, 1, old)), ErrorKind::datatype);
  EXPECT_EQ(kind(type_indexed(minus, zero, old)), ErrorKind::datatype);
  EXPECT_EQ(kind(type_indexed(pair, zero, old)), ErrorKind::datatype);
  EXPECT_EQ(kind(type_indexed(one, pair, old)), ErrorKind::datatype);
  EXPECT_EQ(kind(type_hindexed_block(-1, zero, old)), ErrorKind::datatype);
  EXPECT_EQ(kind(type_struct(minus, zero, types)), ErrorKind::datatype);
  EXPECT_EQ(kind(type_struct(one, pair, types)), ErrorKind::datatype);
  EXPECT_EQ(kind(type_subarray(two, zero, zero, ArrayOrder::c, old)), ErrorKind::datatype);
  EXPECT_EQ(kind(type_subarray(two, two, one, ArrayOrder::c, old)), ErrorKind::datatype);
  EXPECT_EQ(kind(type_subarray(two, one, minus, ArrayOrder::c, old)), ErrorKind::datatype);
  EXPECT_EQ(kind(type_darray(2, 2, four, block, minus, two, ArrayOrder::c, old)), ErrorKind::datatype);
  EXPECT_EQ(kind(type_darray(3, 0, four, block, minus, two, ArrayOrder::c, old)), ErrorKind::datatype);
  EXPECT_EQ(kind(type_darray(2, 0, four, block, one, two, ArrayOrder::c, old)), ErrorKind::datatype);
  EXPECT_EQ(kind(type_darray(2, 0, four, cyclic, zero, two, ArrayOrder::c, old)), ErrorKind::datatype);
  EXPECT_EQ(kind(type_darray(2, 0, four, none, minus, two, ArrayOrder::c, old)), ErrorKind::datatype);
}

TEST(Overflow, IsACountError) {
  const DataType old = type_bytes(8);
  const std::vector<int64_t> far{huge - 4}, low_high{-huge, huge - 8}, one{1}, ones{1, 1}, big{huge / 4, 8};
  const std::vector<int64_t> start{0, 0};
  const auto kind = [](const Result<DataType>& result) {
    return result.ok() ? ErrorKind::none : result.error().kind;
  };
  EXPECT_EQ(kind(type_contiguous(huge / 4, old)), ErrorKind::count);
  EXPECT_EQ(kind(type_vector(3, 1, huge / 8, old)), ErrorKind::count);
  EXPECT_EQ(kind(type_vector(2, 1, huge / 4, old)), ErrorKind::count);
  EXPECT_EQ(kind(type_hvector(3, 1, -huge / 2 - 9, old)), ErrorKind::count);
  EXPECT_EQ(kind(type_hvector(2, huge / 4, 0, old)), ErrorKind::count);
  EXPECT_EQ(kind(type_hindexed(one, far, old)), ErrorKind::count);
  EXPECT_EQ(kind(type_hindexed(ones, low_high, old)), ErrorKind::count);
  EXPECT_EQ(kind(type_indexed(one, far, old)), ErrorKind::count);
  EXPECT_EQ(kind(type_subarray(big, ones, start, ArrayOrder::c, old)), ErrorKind::count);
  EXPECT_EQ(kind(type_resized(old, huge, 1)), ErrorKind::count);
  const auto wide = type_hvector(2, 1, huge / 2, old).value();
  EXPECT_EQ(kind(type_hvector(2, 1, huge / 2 + 9, wide)), ErrorKind::count);
  const std::vector<DataType> types{wide, wide};
  EXPECT_EQ(kind(type_struct(ones, low_high, types)), ErrorKind::count);
}

TEST(IndexedType, OfAMillionContiguousBlocksIsAFlatList) {
  const int64_t count = 1000000;
  std::vector<int64_t> lengths, at;
  int64_t end = 0;
  for (int64_t i = 0; i < count; ++i) {
    lengths.push_back(1 + i % 3);
    at.push_back(end);
    end += lengths.back() + 1 + i % 7;
  }
  const auto varied = type_indexed(lengths, at, type_bytes(8)).value();
  EXPECT_EQ(varied.nest->kind(), Nest::Kind::blocks);
  EXPECT_LE(varied.nest->memory_bytes(), 16 * count + 1000);
  const auto alike = type_indexed_block(1, at, type_bytes(8)).value();
  EXPECT_EQ(alike.nest->kind(), Nest::Kind::blocks);
  EXPECT_LE(alike.nest->memory_bytes(), 8 * count + 1000);
}

TEST(IndexedType, OfATypeWithHolesSharesItsChildren) {
  const auto holey = type_vector(3, 1, 2, type_bytes(4)).value();
  std::vector<int64_t> lengths, at;
  for (int64_t i = 0; i < 1000; ++i) {
    lengths.push_back(1 + i % 2);
    at.push_back(i * i * 5);
  }
  const auto type = type_indexed(lengths, at, holey).value();
  ASSERT_EQ(type.nest->kind(), Nest::Kind::sequence);
  EXPECT_EQ(type.nest->parts()[0].child, type.nest->parts()[2].child);
  EXPECT_LE(type.nest->memory_bytes(), 1000 * 48 + 2000);
}

TEST(StructType, BoundsThatWereSetOutweighThoseFound) {
  const auto set = type_resized(type_bytes(4), -2, 100).value();
  const std::vector<DataType> types = {type_bytes(8), set, type_bytes(8)};
  const std::vector<int64_t> lengths = {1, 1, 1}, at = {500, 10, 0};
  const auto all = type_struct(lengths, at, types).value();
  EXPECT_EQ(all.lower_bound, 8);
  EXPECT_EQ(all.extent, 100);
  // A block without elements has no bounds.
  const std::vector<int64_t> without = {1, 0, 1};
  const auto found = type_struct(without, at, types).value();
  EXPECT_EQ(found.lower_bound, 0);
  EXPECT_EQ(found.extent, 508);
}

TEST(StructType, OneBoundMayBeSetAlone) {
  DataType upper;
  upper.upper_marker = true;
  const std::vector<DataType> types = {type_bytes(8), upper, type_bytes(4)};
  const std::vector<int64_t> lengths = {1, 1, 1}, at = {16, 20, 40};
  const auto all = type_struct(lengths, at, types).value();
  EXPECT_EQ(all.lower_bound, 16);
  EXPECT_EQ(all.extent, 4);
  EXPECT_FALSE(all.lower_marker);
  EXPECT_TRUE(type_contiguous(2, all).value().upper_marker);
}

}  // namespace
}  // namespace concilio::pattern::datatype_test
