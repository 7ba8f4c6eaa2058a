#include "mpiio/file/short_calls.h"

#include <gtest/gtest.h>

namespace concilio::mpiio::short_calls_test {
namespace {

constexpr ShortCalls::Call write_of_8{Operation::write, 64, 8}, write_of_16{Operation::write, 128, 16},
    read_of_8{Operation::read, 64, 8};

constexpr bool alone = true;

// Makes a call that takes so long. Returns for how many others it stands; -1 if it is not timed.
int64_t make(ShortCalls& calls, const ShortCalls::Call& call, int64_t ns = 100) {
  if (!calls.times(call, alone)) return -1;
  bool stands_for_them = false;
  const ShortCalls::Untimed before = calls.add_timed(call, ns, alone, stands_for_them);
  return stands_for_them ? before.calls : 0;
}

TEST(ShortCalls, OneInSeventeenIsTimed) {
  ShortCalls calls;
  EXPECT_EQ(make(calls, write_of_8), 0);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(make(calls, write_of_8), -1);
  EXPECT_EQ(make(calls, write_of_8), 16);
  EXPECT_EQ(make(calls, write_of_8), -1);
}

TEST(ShortCalls, OneInFiveIsTimedOfThoseThatAreALittleLonger) {
  ShortCalls calls;
  EXPECT_EQ(make(calls, write_of_8, 6000), 0);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(make(calls, write_of_8, 6000), -1);
  EXPECT_EQ(make(calls, write_of_8, 6000), 4);
}

TEST(ShortCalls, LongOnesAreAllTimed) {
  ShortCalls calls;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(make(calls, write_of_8, 20'000), 0);
}

TEST(ShortCalls, OneThatHasNotMovedAllIsNotCounted) {
  ShortCalls calls;
  make(calls, write_of_8);
  make(calls, write_of_8);
  make(calls, write_of_8);
  calls.take_back(alone);
  EXPECT_EQ(calls.take().calls, 1);
  calls.take_back(alone);
  EXPECT_EQ(calls.take().calls, 0);
}

TEST(ShortCalls, ACallDoesNotStandForOthersThatAreUnlike) {
  for (const ShortCalls::Call& unlike : {write_of_16, read_of_8}) {
    ShortCalls calls;
    make(calls, write_of_8, 70);
    make(calls, write_of_8);
    make(calls, write_of_8);
    ASSERT_TRUE(calls.times(unlike, alone));
    bool stands_for_them = true;
    const ShortCalls::Untimed before = calls.add_timed(unlike, 100, alone, stands_for_them);
    EXPECT_FALSE(stands_for_them);
    EXPECT_EQ(before.calls, 2);
    EXPECT_EQ(before.ns, 70);
    EXPECT_EQ(before.last.bytes, 8);
    EXPECT_EQ(before.last.operation, Operation::write);
    EXPECT_EQ(calls.take().calls, 0);
  }
}

TEST(ShortCalls, WhatIsLeftAtTheEnd) {
  ShortCalls calls;
  make(calls, write_of_8);
  make(calls, write_of_8);
  EXPECT_EQ(calls.take().calls, 1);
  EXPECT_EQ(calls.take().calls, 0);
}

}  // namespace
}  // namespace concilio::mpiio::short_calls_test
