#include "pattern/encoding.h"

#include <gtest/gtest.h>

#include <random>

#include "unit/pattern/random_nest.h"

namespace concilio::pattern::encoding_test {
namespace {

TEST(EncodedNumber, ComesBackWhateverItIs) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    const auto number = static_cast<int64_t>(random() >> (random() % 64)) * (random() % 2 ? 1 : -1);
    std::vector<std::byte> bytes;
    encode(number, bytes);
    std::span<const std::byte> rest = bytes;
    const Result<int64_t> back = decode_number(rest);
    ASSERT_TRUE(back);
    ASSERT_EQ(*back, number);
    ASSERT_TRUE(rest.empty());
  }
  for (const int64_t number : {INT64_MIN, INT64_MAX, int64_t{0}, int64_t{-1}}) {
    std::vector<std::byte> bytes;
    encode(number, bytes);
    std::span<const std::byte> rest = bytes;
    ASSERT_EQ(*decode_number(rest), number);
  }
}

TEST(EncodedNumber, IsShortIfItIsSmall) {
  std::vector<std::byte> bytes;
  for (const int64_t number : {0, 63, -64}) encode(number, bytes);
  EXPECT_EQ(bytes.size(), 3u);
}

TEST(EncodedNest, DescribesTheSameBytesInTheSameOrder) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 3000; ++i) {
    const NestRef nest = test::random_nest(random, static_cast<int>(random() % 5));
    std::vector<std::byte> bytes;
    encode(*nest, bytes, INT64_MAX);
    std::span<const std::byte> rest = bytes;
    const Result<NestRef> back = decode_nest(rest);
    ASSERT_TRUE(back) << back.error().message;
    ASSERT_TRUE(rest.empty());
    ASSERT_EQ((*back)->size(), nest->size());
    const int64_t extent = nest->upper() + 10;
    const Access before(nest, 5, extent), after(*back, 5, extent);
    ASSERT_EQ(before.monotone(), after.monotone());
    for (int64_t at = 0; at < 2 * nest->size(); at += 1 + static_cast<int64_t>(random() % 7))
      ASSERT_EQ(before.offset_of(at), after.offset_of(at)) << at;
  }
}

// Each part is in two others, so that all of this would be 2^40 parts long.
TEST(EncodedNest, StopsSoonWhereItWouldBeTooLong) {
  const std::vector<int64_t> offsets = {0, 5, 7}, lengths = {1, 1, 2};
  NestRef nest = Nest::blocks({Numbers(offsets), Numbers(lengths)}).value();
  for (int i = 0; i < 40; ++i) {
    const Nest::Part first{0, 0, nest}, between{nest->upper() + 1, 0, Nest::bytes(3)},
        last{nest->upper() + 5, 0, nest};
    nest = Nest::sequence({first, between, last}).value();
  }
  std::vector<std::byte> bytes;
  constexpr int64_t most_bytes = 10'000;
  encode(*nest, bytes, most_bytes);
  EXPECT_GT(std::ssize(bytes), most_bytes);
  EXPECT_LT(std::ssize(bytes), most_bytes + 100);
}

// Whatever is received is refused or understood, and nothing after its end is read.
TEST(EncodedNest, IsRefusedIfItIsCutShortOrSpoilt) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::byte> bytes;
    encode(*test::random_nest(random, 3), bytes, INT64_MAX);
    const std::vector<std::byte> cut(bytes.begin(),
                                     bytes.begin() + static_cast<int64_t>(random() % bytes.size()));
    std::span<const std::byte> rest = cut;
    EXPECT_FALSE(decode_nest(rest));
    bytes[random() % bytes.size()] ^= static_cast<std::byte>(1 + random() % 255);
    rest = bytes;
    const Result<NestRef> spoilt = decode_nest(rest);
    EXPECT_TRUE(!spoilt || (*spoilt)->size() >= 0);
  }
}

}  // namespace
}  // namespace concilio::pattern::encoding_test
