#include "base/counters.h"

#include <gtest/gtest.h>

namespace concilio::counters_test {
namespace {

TEST(Tally, AddsWithAndWithoutOthers) {
  Tally tally;
  tally += 5;
  tally.add_alone(7);
  ++tally;
  EXPECT_EQ(tally, 13);
}

// The calls that are timed represent all calls before them.
TEST(Sampling, EveryCallIsCountedOnce) {
  Sampling sampling;
  int64_t stood_for = 0, timed = 0, untimed = 0;
  for (int call = 1; call <= 1000; ++call) {
    const int64_t calls = sampling.next(8);
    if (calls == 0) {
      ++untimed;
      continue;
    }
    ++timed;
    stood_for += calls;
    EXPECT_EQ(stood_for, call);
    sampling.took(8, 300);
  }
  EXPECT_EQ(timed, 1 + 999 / 17);
  EXPECT_EQ(timed + untimed, 1000);
  EXPECT_EQ(stood_for * 300 + sampling.take_rest_ns(), 1000 * 300);
  EXPECT_EQ(sampling.take_rest_ns(), 0);
}

TEST(Sampling, LongCallsAreAllTimed) {
  Sampling sampling;
  for (int call = 0; call < 100; ++call) {
    EXPECT_EQ(sampling.next(8), 1);
    sampling.took(8, 1'000'000);
  }
}

TEST(Sampling, ALargeCallStandsForItselfAlone) {
  Sampling sampling;
  sampling.next(8);
  sampling.took(8, 300);
  for (int call = 0; call < 10; ++call) EXPECT_EQ(sampling.next(8), 0);
  EXPECT_EQ(sampling.next(1 << 20), 1);
  sampling.took(1 << 20, 100'000);
  EXPECT_EQ(sampling.take_rest_ns(), 10 * 300) << "none was as long as the large one";
  for (int call = 0; call < 10; ++call) EXPECT_EQ(sampling.next(8), 0);
  EXPECT_EQ(sampling.next(1 << 20), 1);
  sampling.took(1 << 20, 100'000);
  for (int call = 0; call < 6; ++call) EXPECT_EQ(sampling.next(8), 0);
  EXPECT_EQ(sampling.next(8), 17) << "the next timed short one stands for those before";
}

}  // namespace
}  // namespace concilio::counters_test
