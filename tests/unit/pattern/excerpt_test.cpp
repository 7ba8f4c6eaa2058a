#include "pattern/excerpt.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "unit/pattern/random_nest.h"

namespace concilio::pattern::excerpt_test {
namespace {

TEST(AnExcerpt, DescribesTheSameBytesInTheSameOrder) {
  std::mt19937_64 random(4);
  int shorter = 0;
  for (int i = 0; i < 20000; ++i) {
    const NestRef nest = test::random_nest(random, static_cast<int>(random() % 5));
    const int64_t extent = nest->upper() - nest->lower() + static_cast<int64_t>(random() % 20);
    const Access access(nest, static_cast<int64_t>(random() % 1000), extent);
    Interval data;
    data.begin = static_cast<int64_t>(random() % static_cast<uint64_t>(3 * nest->size()));
    data.end = data.begin + 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(nest->size()));
    const Result<Excerpt> some = excerpt(access, data);
    ASSERT_TRUE(some) << some.error().message;
    ASSERT_EQ(some->data.length(), data.length());
    for (int64_t at = 0; at < data.length(); ++at)
      ASSERT_EQ(some->access.offset_of(some->data.begin + at), access.offset_of(data.begin + at)) << i;
    // Offsets are found in it as before.
    const auto at = data.begin + static_cast<int64_t>(random() % static_cast<uint64_t>(data.length()));
    if (access.monotone()) {
      ASSERT_TRUE(some->access.monotone());
      ASSERT_EQ(some->access.data_before(access.offset_of(at)) - some->data.begin, at - data.begin);
    }
    shorter += some->access.nest()->memory_bytes() < access.nest()->memory_bytes();
  }
  EXPECT_GT(shorter, 1000);
}

TEST(AnExcerpt, OfAListIsAsLongAsItsPart) {
  std::vector<int64_t> offsets(1000);
  for (size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<int64_t>(100 * i + i * i % 7);
  for (const bool alike : {true, false}) {
    std::vector<int64_t> lengths(alike ? 1 : offsets.size(), 10);
    for (size_t i = 0; !alike && i < lengths.size(); ++i) lengths[i] = 10 + static_cast<int64_t>(i % 3);
    const NestRef list = *Nest::blocks({Numbers(offsets), Numbers(lengths)});
    const Access access(list, 0, 200000);
    const Excerpt tenth = *excerpt(access, {list->size() / 2, list->size() / 2 + list->size() / 10});
    EXPECT_LT(tenth.access.nest()->memory_bytes(), list->memory_bytes() / 8);
    // Also as a part of a sequence, and where the data go through several of its tiles.
    const NestRef rest = Nest::bytes(5000);
    const Access pair(*Nest::sequence({{0, 0, list}, {150000, 0, rest}}), 0, 200000);
    EXPECT_LT(excerpt(pair, {10, 100})->access.nest()->memory_bytes(), list->memory_bytes() / 8);
    EXPECT_EQ(excerpt(access, {10, list->size() + 1})->access.nest(), list);
  }
}

}  // namespace
}  // namespace concilio::pattern::excerpt_test
