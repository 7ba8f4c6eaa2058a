#include "base/system/core_offer.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <thread>

#include "base/waiting.h"

namespace concilio {
namespace {

TEST(TurnsOfOthers, NoneBeginsForTenTimesAsLongAsALongOneTook) {
  constexpr int64_t second_ns = 1'000'000'000, ms_ns = 1'000'000;
  TurnsOfOthers turns(1);
  EXPECT_TRUE(turns.may_begin(second_ns));
  EXPECT_TRUE(turns.note(second_ns, second_ns + ms_ns / 10));
  EXPECT_TRUE(turns.may_begin(second_ns + ms_ns / 10));
  EXPECT_FALSE(turns.note(2 * second_ns, 2 * second_ns + 4 * ms_ns));
  EXPECT_FALSE(turns.may_begin(2 * second_ns + 4 * ms_ns));
  EXPECT_FALSE(turns.may_begin(2 * second_ns + 44 * ms_ns - 1));
  EXPECT_TRUE(turns.may_begin(2 * second_ns + 44 * ms_ns));
}

TEST(TurnsOfOthers, AShortOneBetweenTwoLongOnesShowsThatTheyDoNotGoOn) {
  constexpr int64_t ms_ns = 1'000'000;
  TurnsOfOthers turns(2);
  EXPECT_TRUE(turns.note(0, 3 * ms_ns));
  EXPECT_TRUE(turns.note(3 * ms_ns, 3 * ms_ns + 1000));
  EXPECT_TRUE(turns.note(4 * ms_ns, 7 * ms_ns));
  EXPECT_TRUE(turns.may_begin(7 * ms_ns));
  EXPECT_FALSE(turns.note(7 * ms_ns, 10 * ms_ns));
  EXPECT_FALSE(turns.may_begin(40 * ms_ns - 1));
  // Then one more is enough.
  EXPECT_TRUE(turns.may_begin(40 * ms_ns));
  EXPECT_FALSE(turns.note(40 * ms_ns, 43 * ms_ns));
}

// A thread that spins keeps the core for milliseconds each time that it is offered. So many offers would take
// half a minute.
TEST(CoreOffer, SpinningThreadsHaveItSeldom) {
  cpu_set_t before{}, core{};
  sched_getaffinity(0, sizeof before, &before);
  CPU_SET(static_cast<size_t>(sched_getcpu()), &core);
  if (sched_setaffinity(0, sizeof core, &core) != 0)
    GTEST_SKIP() << "the system does not let a thread choose its core";
  std::atomic<bool> ends = false;
  std::thread spins([&] {
    while (!ends) continue;
  });
  int refused = 0;
  const int64_t end_ns = now_ns() + 10'000'000'000;
  while (refused < 10'000 && now_ns() < end_ns) refused += !offer_core();
  ends = true;
  spins.join();
  sched_setaffinity(0, sizeof before, &before);
  EXPECT_EQ(10'000, refused);
}

}  // namespace
}  // namespace concilio
