#include "base/budget.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <thread>
#include <vector>

namespace concilio::budget_test {
namespace {

TEST(Budget, BufferIsChargedForAsLongAsItLives) {
  Budget budget(1000);
  {
    Result<Buffer> buffer = Buffer::allocate(budget, 600);
    ASSERT_TRUE(buffer);
    EXPECT_EQ(budget.current_bytes(), 600);
    EXPECT_EQ(buffer->size(), 600);
    std::memset(buffer->data(), 1, 600);
  }
  EXPECT_EQ(budget.current_bytes(), 0);
  EXPECT_EQ(budget.high_water_bytes(), 600);
  EXPECT_FALSE(budget.over_limit());
}

TEST(Budget, LimitThatIsRaisedLater) {
  Budget budget(100);
  const Charge charge(budget, 200);
  EXPECT_TRUE(budget.over_limit());
  budget.set_limit_bytes(300);
  EXPECT_EQ(budget.limit_bytes(), 300);
  EXPECT_FALSE(budget.over_limit());
}

TEST(Budget, BufferThatGrowsIsChargedForItsNewSizeAlone) {
  Budget budget(1000);
  Buffer buffer;
  ASSERT_TRUE(buffer.reserve(budget, 300));
  ASSERT_TRUE(buffer.reserve(budget, 200));
  EXPECT_EQ(buffer.size(), 300);
  ASSERT_TRUE(buffer.reserve(budget, 500));
  EXPECT_EQ(buffer.size(), 500);
  EXPECT_EQ(budget.current_bytes(), 500);
  EXPECT_EQ(budget.high_water_bytes(), 500);
}

TEST(Budget, WhatAPartIsChargedTheWholeIsToo) {
  Budget whole(1000), part(1000, &whole);
  const Charge beside(whole, 300);
  {
    const Charge inside(part, 200);
    EXPECT_EQ(part.current_bytes(), 200);
    EXPECT_EQ(whole.current_bytes(), 500);
  }
  EXPECT_EQ(part.current_bytes(), 0);
  EXPECT_EQ(whole.current_bytes(), 300);
  EXPECT_EQ(part.high_water_bytes(), 200);
  EXPECT_EQ(whole.high_water_bytes(), 500);
}

TEST(Budget, MovedBufferIsChargedOnce) {
  Budget budget(1000);
  Buffer outer;
  {
    Result<Buffer> buffer = Buffer::allocate(budget, 100);
    ASSERT_TRUE(buffer);
    outer = std::move(*buffer);
    const Buffer inner(std::move(outer));
    EXPECT_EQ(budget.current_bytes(), 100);
  }
  EXPECT_EQ(budget.current_bytes(), 0);
}

TEST(Budget, BufferBeginsOnAPage) {
  Budget budget(1000);
  const Result<Buffer> buffer = Buffer::allocate(budget, 1);
  ASSERT_TRUE(buffer);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)), 0u);
}

TEST(Budget, EmptyBufferCostsNothing) {
  Budget budget(1000);
  const Result<Buffer> buffer = Buffer::allocate(budget, 0);
  ASSERT_TRUE(buffer);
  EXPECT_EQ(buffer->size(), 0);
  EXPECT_EQ(budget.high_water_bytes(), 0);
}

TEST(Budget, NegativeSizeIsAnError) {
  Budget budget(1000);
  const Result<Buffer> buffer = Buffer::allocate(budget, -1);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().kind, ErrorKind::argument);
}

TEST(Budget, MoreThanTheMachineHasIsAnErrorAndNotCharged) {
  Budget budget(1000);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer ends the process here";
#else
  const Result<Buffer> buffer = Buffer::allocate(budget, INT64_MAX);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().kind, ErrorKind::no_memory);
  EXPECT_EQ(budget.high_water_bytes(), 0);
#endif
}

TEST(Budget, OverTheLimitIsRememberedAfterRelease) {
  Budget budget(1000);
  { const Charge charge(budget, 1001); }
  EXPECT_EQ(budget.current_bytes(), 0);
  EXPECT_TRUE(budget.over_limit());
}

TEST(Budget, ChargesOfSeveralThreadsAddUp) {
  Budget budget(1 << 20);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&budget] {
      for (int j = 0; j < 10'000; ++j) budget.charge(3);
      for (int j = 0; j < 10'000; ++j) budget.release(2);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(budget.current_bytes(), 40'000);
  EXPECT_GE(budget.high_water_bytes(), 60'000);
  EXPECT_LE(budget.high_water_bytes(), 120'000);
}

}  // namespace
}  // namespace concilio::budget_test
