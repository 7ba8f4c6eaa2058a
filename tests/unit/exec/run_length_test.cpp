#include "exec/call/run_length.h"

#include <gtest/gtest.h>

#include <limits>

namespace concilio::exec::run_length_test {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

int64_t longest(double seconds, double longest_seconds) {
  RunLength run;
  int64_t calls = 0;
  for (int meeting = 0; meeting < 20; ++meeting) calls = run.after_meeting(seconds, longest_seconds);
  return calls;
}

TEST(RunLength, GrowsWhileNothingIsNew) {
  RunLength run;
  EXPECT_EQ(run.after_meeting(1.0, no_limit), 1);
  EXPECT_EQ(run.after_meeting(1.0, no_limit), 3);
  EXPECT_EQ(run.after_meeting(1.0, no_limit), 7);
  EXPECT_EQ(run.after_meeting({}, no_limit), 0);
  EXPECT_EQ(run.after_meeting(1.0, no_limit), 1);
}

TEST(RunLength, ShortCallsMeetMoreSeldom) {
  EXPECT_EQ(longest(1.0, no_limit), 63);
  EXPECT_EQ(longest(0.001 / 128, no_limit), 128);
  EXPECT_EQ(longest(1e-9, no_limit), 1023);
  EXPECT_EQ(longest(0, no_limit), 1023);
}

TEST(RunLength, LongCallsMeetSoEarlyThatErrorsAreHeardOf) {
  EXPECT_EQ(longest(1.0 / 256, 0.5), 63);
  EXPECT_EQ(longest(1.0 / 64, 0.5), 32);
  EXPECT_EQ(longest(0.5, 0.5), 1);
  EXPECT_EQ(longest(0.75, 0.5), 0);
}

}  // namespace
}  // namespace concilio::exec::run_length_test
