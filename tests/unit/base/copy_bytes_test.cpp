#include "base/copy_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace concilio::copy_bytes_test {
namespace {

TEST(CopyBytes, SlowIsWhatLiesAheadByLessThan32BytesWithinAPage) {
  EXPECT_FALSE(is_slow_distance(4096, 4096));
  EXPECT_TRUE(is_slow_distance(4097, 4096));
  EXPECT_TRUE(is_slow_distance(4096 + 31, 4096));
  EXPECT_FALSE(is_slow_distance(4096 + 32, 4096));
  EXPECT_FALSE(is_slow_distance(4095, 4096));
  EXPECT_TRUE(is_slow_distance(16, 7 * 4096));
  EXPECT_TRUE(is_slow_distance(3 * 4096 + 10, 5 * 4096 - 6 + 4096));
}

TEST(CopyBytes, CopiesAllAndNothingElseAtEveryDistance) {
  constexpr int64_t most_bytes = 9000;
  std::vector<std::byte> from(most_bytes + 64), to(most_bytes + 2 * 4096 + 128);
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 7 + i / 251);
  const auto page =
      to.data() +
      (reinterpret_cast<uintptr_t>(from.data()) + 64 - reinterpret_cast<uintptr_t>(to.data())) % 4096;
  constexpr auto untouched = std::byte{0xa5};
  for (const int64_t bytes : {1, 64, 2047, 2048, 2049, 4096, 4160, 9000}) {
    for (int64_t ahead = 0; ahead <= 40; ++ahead) {
      std::ranges::fill(to, untouched);
      std::byte* const target = page + ahead;
      copy_bytes(target, from.data() + 64, bytes);
      ASSERT_TRUE(std::equal(target, target + bytes, from.data() + 64)) << bytes << " B, " << ahead;
      ASSERT_EQ(std::count(to.data(), target, untouched), target - to.data()) << bytes << " B, " << ahead;
      ASSERT_TRUE(std::all_of(target + bytes, to.data() + to.size(),
                              [&](std::byte byte) { return byte == untouched; }))
          << bytes << " B, " << ahead;
    }
  }
}

TEST(CopyBytes, ShortLengthsAreCopiedToTheByte) {
  constexpr auto untouched = std::byte{0xa5};
  std::vector<std::byte> from(600), to(600);
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i % 150);
  for (int64_t bytes = 0; bytes <= most_short_bytes + 1; ++bytes) {
    std::ranges::fill(to, untouched);
    copy_bytes(to.data() + 3, from.data() + 5, bytes);
    ASSERT_TRUE(std::equal(from.data() + 5, from.data() + 5 + bytes, to.data() + 3)) << bytes << " B";
    ASSERT_EQ(std::ranges::count(to, untouched), static_cast<int64_t>(to.size()) - bytes) << bytes << " B";
  }
}

TEST(CopyBytes, ProcessorIsMeasuredOnce) {
  EXPECT_EQ(has_slow_distances(), has_slow_distances());
}

}  // namespace
}  // namespace concilio::copy_bytes_test
