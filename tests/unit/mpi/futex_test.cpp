#include "mpi/nodes/futex.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <thread>

namespace concilio::mpi::futex_test {
namespace {

int64_t cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// The calling thread and those that it starts run on the core that it runs on now. False if the system
// refuses that.
bool stay_on_one_core() {
  cpu_set_t core;
  CPU_ZERO(&core);
  CPU_SET(static_cast<size_t>(sched_getcpu()), &core);
  return sched_setaffinity(0, sizeof core, &core) == 0;
}

struct EventCounterOnOneCore : testing::Test {
  void SetUp() override {
    sched_getaffinity(0, sizeof before_, &before_);
    if (!stay_on_one_core()) GTEST_SKIP() << "the system does not let a thread choose its core";
  }
  void TearDown() override { sched_setaffinity(0, sizeof before_, &before_); }

  cpu_set_t before_{};
};

// Other programs may take the core for longer than a waiting rank lets them, but not each time.
TEST_F(EventCounterOnOneCore, WhoYieldsItNeedNotBeWoken) {
  constexpr int attempts = 50;
  int without_sleep = 0;
  for (int i = 0; i < attempts; ++i) {
    EventCounter event;
    std::atomic<bool> waits = false;
    int sleeps = 0;
    std::thread awaited([&] {
      while (!waits) sched_yield();
      event.value.fetch_add(1);  // and wakes nobody
    });
    WaitPolicy policy{0, [](void* count) { ++*static_cast<int*>(count); }, &sleeps};
    policy.yields = 1 << 20;
    waits = true;
    EXPECT_TRUE(event.wait_for(1, policy));
    without_sleep += sleeps == 0;
    awaited.join();
  }
  EXPECT_GT(without_sleep, 0);
}

// The waiting thread would spin for seconds, and so take half of the core from the thread that it waits for.
TEST_F(EventCounterOnOneCore, WaitingLeavesItToTheThreadThatIsAwaited) {
  constexpr uint32_t events = 20;
  constexpr int64_t work_ns = 5'000'000;
  EventCounter asked, done;
  std::thread worker([&] {
    for (uint32_t i = 1; i <= events; ++i) {
      asked.wait_for(i, WaitPolicy{});
      for (const int64_t end_ns = cpu_ns() + work_ns; cpu_ns() < end_ns;) {
      }
      done.increment();
    }
  });
  const WaitPolicy eager{.spins = 100'000'000};
  const int64_t before_ns = cpu_ns();
  for (uint32_t i = 1; i <= events; ++i) {
    asked.increment();
    EXPECT_TRUE(done.wait_for(i, eager));
  }
  const int64_t spent_ns = cpu_ns() - before_ns;
  worker.join();
  EXPECT_LT(spent_ns, events * work_ns / 4);
}

// The system may decline the core that is offered to another of the same program, and the spinning one would
// not see that it is wanted.
TEST(EventCounterWait, SpinsNoLongerOnceOneWhoIsAwaitedMayShareTheCore) {
  int asked = 0;
  WaitPolicy policy{.spins = 100'000'000, .context = &asked};
  policy.core_is_shared = [](void* context) { return ++*static_cast<int*>(context) > 0; };
  policy.in_vain = [](void*) { return true; };
  EventCounter counter;
  EXPECT_FALSE(counter.wait_for(1, policy));
  EXPECT_EQ(1, asked);
}

// Whoever is awaited may itself wait for a message of the one who spins.
TEST(EventCounterWait, MessagesProceedWhileItSpins) {
  EventCounter counter;
  WaitPolicy policy{.spins = 100'000'000, .context = &counter, .messages = true};
  policy.progress = [](void* context) { static_cast<EventCounter*>(context)->increment(); };
  policy.in_vain = [](void*) { return true; };
  EXPECT_TRUE(counter.wait_for(1, policy));
}

TEST(EventCounterWait, SleepsAreShortWhileMessagesAreUnderWay) {
  constexpr int sleeps = 64;
  struct Waiting {
    int progress = 0, slept = 0;
  };
  for (const bool messages : {false, true}) {
    EventCounter counter;
    Waiting waiting;
    WaitPolicy policy{.context = &waiting, .messages = messages};
    policy.progress = [](void* context) { ++static_cast<Waiting*>(context)->progress; };
    policy.in_vain = [](void* context) { return ++static_cast<Waiting*>(context)->slept == sleeps; };
    const int64_t begin_ns = now_ns();
    EXPECT_FALSE(counter.wait_for(1, policy));
    EXPECT_EQ(sleeps, waiting.progress);
    EXPECT_EQ(messages, now_ns() - begin_ns < 400'000'000);
  }
}

}  // namespace
}  // namespace concilio::mpi::futex_test
