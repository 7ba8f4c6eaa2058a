#include "exec/call/run_length.h"

#include <gtest/gtest.h>

namespace concilio::exec::run_length_test {
namespace {

TEST(RunLength, GrowsWhileNothingIsNew) {
  RunLength run;
  EXPECT_EQ(run.after_meeting(true, 1.0), 1);
  EXPECT_EQ(run.after_meeting(true, 1.0), 3);
  EXPECT_EQ(run.after_meeting(true, 1.0), 7);
  EXPECT_EQ(run.after_meeting(false, 1.0), 0);
  EXPECT_EQ(run.after_meeting(true, 1.0), 1);
}

TEST(RunLength, ShortCallsMeetMoreSeldom) {
  const auto longest = [](double seconds) {
    RunLength run;
    int64_t calls = 0;
    for (int meeting = 0; meeting < 20; ++meeting) calls = run.after_meeting(true, seconds);
    return calls;
  };
  EXPECT_EQ(longest(1.0), 63);
  EXPECT_EQ(longest(0.001 / 128), 128);
  EXPECT_EQ(longest(1e-9), 1023);
  EXPECT_EQ(longest(0), 1023);
}

}  // namespace
}  // namespace concilio::exec::run_length_test
