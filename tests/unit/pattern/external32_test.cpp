#include "pattern/external32.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace concilio::pattern::external32_test {
namespace {

using Bytes = std::vector<int>;

constexpr Item long_number{ItemKind::signed_integer, 1, 8, 4};
constexpr Item wide_character{ItemKind::unsigned_integer, 1, 4, 2};
constexpr Item extended{ItemKind::long_double, 1, sizeof(long double), 16};

template <typename T>
Bytes in_file(const Item& item, std::vector<T> values) {
  std::vector<std::byte> file(values.size() * sizeof(T) * 2);
  const int64_t count = static_cast<int64_t>(values.size() * sizeof(T)) / item.native_bytes;
  auto status = to_external32(item, count, reinterpret_cast<const std::byte*>(values.data()), file.data());
  EXPECT_TRUE(status);
  Bytes result;
  for (int64_t i = 0; i < count * item.file_bytes; ++i)
    result.push_back(static_cast<int>(file[static_cast<size_t>(i)]));
  return result;
}

template <typename T>
T from_file(const Item& item, const Bytes& bytes) {
  std::vector<std::byte> file;
  for (int value : bytes) file.push_back(static_cast<std::byte>(value));
  T value{};
  EXPECT_TRUE(from_external32(item, 1, file.data(), reinterpret_cast<std::byte*>(&value)));
  return value;
}

TEST(External32, BytesStayAsTheyAre) {
  EXPECT_EQ(in_file<char>({ItemKind::bytes, 1, 1, 1}, {'a', 'b'}), (Bytes{'a', 'b'}));
}

TEST(External32, NumbersAreBigEndian) {
  EXPECT_EQ(in_file<int16_t>({ItemKind::signed_integer, 1, 2, 2}, {0x0102, -2}), (Bytes{1, 2, 255, 254}));
  EXPECT_EQ(in_file<int32_t>({ItemKind::signed_integer, 1, 4, 4}, {0x01020304}), (Bytes{1, 2, 3, 4}));
  EXPECT_EQ(in_file<uint64_t>({ItemKind::unsigned_integer, 1, 8, 8}, {0x0102030405060708}),
            (Bytes{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(in_file<float>({ItemKind::real, 1, 4, 4}, {1.0F}), (Bytes{0x3F, 0x80, 0, 0}));
  EXPECT_EQ(in_file<double>({ItemKind::real, 1, 8, 8}, {-2.0}), (Bytes{0xC0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(External32, SixteenBytesAreTurnedAsOneNumber) {
  const Item item{ItemKind::real, 1, 16, 16};
  EXPECT_EQ(in_file<uint64_t>(item, {0x090A0B0C0D0E0F10, 0x0102030405060708}),
            (Bytes{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}));
}

TEST(External32, ComplexPartsAreTurnedEach) {
  EXPECT_EQ(in_file<float>({ItemKind::real, 2, 8, 8}, {1.0F, -1.0F}),
            (Bytes{0x3F, 0x80, 0, 0, 0xBF, 0x80, 0, 0}));
}

TEST(External32, LongNumberThatFitsIsNarrowed) {
  EXPECT_EQ(in_file<int64_t>(long_number, {-2, INT32_MAX, INT32_MIN}),
            (Bytes{255, 255, 255, 254, 127, 255, 255, 255, 128, 0, 0, 0}));
  EXPECT_EQ(from_file<int64_t>(long_number, {255, 255, 255, 254}), -2);
  EXPECT_EQ(from_file<int64_t>(long_number, {127, 255, 255, 255}), INT32_MAX);
}

TEST(External32, LongNumberThatDoesNotFitIsAnError) {
  for (int64_t value : {int64_t{INT32_MAX} + 1, int64_t{INT32_MIN} - 1, INT64_MAX}) {
    const int64_t values[] = {5, value};
    std::byte file[8]{};
    auto status = to_external32(long_number, 2, reinterpret_cast<const std::byte*>(values), file);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().kind, ErrorKind::conversion);
    EXPECT_NE(status.error().message.find(std::to_string(value)), std::string::npos);
    EXPECT_EQ(file[3], std::byte{5});
  }
}

TEST(External32, WideFileNumberThatDoesNotFitMemoryIsAnError) {
  const Item item{ItemKind::signed_integer, 1, 4, 8};
  EXPECT_EQ(from_file<int32_t>(item, {255, 255, 255, 255, 255, 255, 255, 253}), -3);
  const std::byte file[8] = {std::byte{0}, std::byte{0}, std::byte{1}};
  int32_t value = 7;
  auto status = from_external32(item, 1, file, reinterpret_cast<std::byte*>(&value));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::conversion);
  EXPECT_EQ(value, 7);
}

TEST(External32, WideCharacterHasNoSign) {
  EXPECT_EQ(in_file<uint32_t>(wide_character, {0xFFFE}), (Bytes{0xFF, 0xFE}));
  EXPECT_EQ(from_file<uint32_t>(wide_character, {0xFF, 0xFE}), 0xFFFEU);
  const uint32_t outside = 0x1F600;
  std::byte file[2];
  EXPECT_FALSE(to_external32(wide_character, 1, reinterpret_cast<const std::byte*>(&outside), file));
}

// IEEE binary128: sign, 15 bits of exponent (bias 16383), 112 bits of fraction.
TEST(External32, LongDoubleIsQuadruple) {
  if (!external32_converts(extended)) GTEST_SKIP() << "no conversion of long double here";
  auto padded = [](Bytes start) {
    start.resize(16, 0);
    return start;
  };
  EXPECT_EQ(in_file<long double>(extended, {1.0L}), padded({0x3F, 0xFF}));
  EXPECT_EQ(in_file<long double>(extended, {-2.5L}), padded({0xC0, 0x00, 0x40}));
  EXPECT_EQ(in_file<long double>(extended, {0.0L}), padded({}));
  EXPECT_EQ(in_file<long double>(extended, {std::numeric_limits<long double>::infinity()}),
            padded({0x7F, 0xFF}));
  if (LDBL_MANT_DIG == 64) {
    // 1 + 2^-63: the last bit of an extended number is bit 49 of 112.
    EXPECT_EQ(in_file<long double>(extended, {1.0L + LDBL_EPSILON}),
              (Bytes{0x3F, 0xFF, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0}));
  }
}

TEST(External32, LongDoubleComesBackExactly) {
  if (!external32_converts(extended)) GTEST_SKIP() << "no conversion of long double here";
  using Limits = std::numeric_limits<long double>;
  for (long double value : {0.1L, -1.0L / 3, LDBL_MAX, LDBL_MIN, Limits::denorm_min(), -0.0L}) {
    const long double back = from_file<long double>(extended, in_file<long double>(extended, {value}));
    EXPECT_EQ(back, value);
    EXPECT_EQ(std::signbit(back), std::signbit(value));
  }
  const long double nothing = Limits::quiet_NaN();
  EXPECT_TRUE(std::isnan(from_file<long double>(extended, in_file<long double>(extended, {nothing}))));
}

TEST(External32, EveryWidthComesBack) {
  for (ItemKind kind : {ItemKind::signed_integer, ItemKind::unsigned_integer}) {
    for (int64_t native : {1, 2, 4, 8}) {
      for (int64_t file : {1, 2, 4, 8}) {
        const Item item{kind, 1, native, file};
        ASSERT_TRUE(external32_converts(item));
        std::byte memory[8]{}, there[8]{}, back[8]{};
        const int64_t value = 100;
        std::memcpy(memory, &value, static_cast<size_t>(native));
        ASSERT_TRUE(to_external32(item, 1, memory, there));
        EXPECT_EQ(there[file - 1], std::byte{100});
        ASSERT_TRUE(from_external32(item, 1, there, back));
        EXPECT_EQ(std::memcmp(memory, back, sizeof back), 0) << native << " and " << file;
      }
    }
  }
}

TEST(External32, WhatHasNoFormIsKnown) {
  EXPECT_FALSE(external32_converts({ItemKind::bytes, 1, 10, 0}));
  EXPECT_FALSE(external32_converts({ItemKind::real, 1, 8, 4}));
  EXPECT_FALSE(external32_converts({ItemKind::signed_integer, 1, 16, 8}));
  EXPECT_FALSE(external32_converts({ItemKind::signed_integer, 1, 3, 4}));
}

}  // namespace
}  // namespace concilio::pattern::external32_test
