// Medians of batches within a time.
#include <gtest/gtest.h>
#include <time.h>

#include "base/median.h"
#include "probe/derive/measurements.h"
#include "probe/measure/sampler.h"

namespace concilio::probe::sampler_test {
namespace {

void sleep_ms(int64_t milliseconds) {
  const timespec pause{0, milliseconds * 1'000'000};
  nanosleep(&pause, nullptr);
}

TEST(Sampler, SlowWorkIsDoneOnceThoughTheTimeIsShort) {
  int64_t done = 0;
  const auto one = seconds_of_one(1e-6, [&](int64_t count) -> Status {
    done += count;
    sleep_ms(20);
    return {};
  });
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(done, 1);
  EXPECT_GE(*one, 0.02);
}

TEST(Sampler, OneBatchThatTakesLongDoesNotCount) {
  int batches = 0;
  const auto one = seconds_of_one(1, [&](int64_t count) -> Status {
    for (int64_t i = 0; i < count; ++i) sleep_ms(batches == 4 ? 30 : 2);
    ++batches;
    return {};
  });
  ASSERT_TRUE(one.ok());
  EXPECT_GT(batches, 4);
  EXPECT_LT(*one, 0.02);
}

TEST(Sampler, NoBatchIsLongerThanItMayBe) {
  int64_t most = 0, prepared = 0;
  const auto one = seconds_of_one(0.01,
                                  [&](int64_t count) -> Status {
                                    most = std::max(most, count);
                                    return {};
                                  },
                                  {.most = 7, .before = [&]() -> Status {
                                     ++prepared;
                                     return {};
                                   }});
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(most, 7);
  EXPECT_GT(prepared, 1);
}

TEST(Sampler, FailureEndsIt) {
  const Status failed = Error{ErrorKind::no_space, 0, "full"};
  EXPECT_EQ(seconds_of_one(1, [&](int64_t) { return failed; }).error().kind, ErrorKind::no_space);
}

TEST(Median, OddAndEven) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_DOUBLE_EQ(median({7}), 7);
}

}  // namespace
}  // namespace concilio::probe::sampler_test
