#include "base/system/strand.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <future>
#include <numeric>
#include <semaphore>
#include <thread>
#include <utility>
#include <vector>

namespace concilio::strand_test {
namespace {

// A task that ends its own life, as those do that nobody waits for.
class Posted final : public Strand::Task {
 public:
  explicit Posted(std::function<void()> work) : work_(std::move(work)) {}
  void run() noexcept override {
    work_();
    delete this;
  }

 private:
  std::function<void()> work_;
};
void post(Strand& strand, std::function<void()> work) {
  strand.post(*new Posted(std::move(work)));
}

TEST(Strand, PostedTasksRunInOrder) {
  std::vector<int> order;  // no lock is needed: tasks of one strand never run at the same time
  Strand strand;
  for (int i = 0; i < 1000; ++i) post(strand, [&order, i] { order.push_back(i); });
  strand.wait();
  std::vector<int> expected(1000);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
}

TEST(Strand, CallerRunsOnItsOwnThreadAfterWhatWasPosted) {
  Strand strand;
  std::atomic<int> done{0};
  std::promise<void> gate;
  auto opened = gate.get_future();
  post(strand, [&] {
    opened.wait();
    ++done;
  });
  post(strand, [&] { ++done; });
  std::thread opener([&] { gate.set_value(); });
  auto self = std::this_thread::get_id();
  int seen = strand.run([&] {
    EXPECT_EQ(std::this_thread::get_id(), self);
    EXPECT_FALSE(on_pool_thread());
    return done.load();
  });
  opener.join();
  EXPECT_EQ(seen, 2);
}

TEST(Strand, TasksPostedWhileACallerRunsComeAfterIt) {
  Strand strand;
  std::atomic<bool> caller_done{false}, in_order{false}, on_pool{false};
  strand.run([&] {
    post(strand, [&] {
      in_order = caller_done.load();
      on_pool = on_pool_thread();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    caller_done = true;
  });
  strand.wait();
  EXPECT_TRUE(in_order);
  EXPECT_TRUE(on_pool);
}

TEST(Strand, IdleOneRunsWorkAtOnceAndABusyOneDoesNot) {
  Strand strand;
  std::promise<void> gate;
  auto opened = gate.get_future();
  post(strand, [&] { opened.wait(); });
  EXPECT_FALSE(strand.run_if_idle([] { return true; }));
  gate.set_value();
  strand.wait();
  const auto self = std::this_thread::get_id();
  std::atomic<bool> posted_ran{false};
  const auto work = [&] {
    EXPECT_EQ(std::this_thread::get_id(), self);
    post(strand, [&] { posted_ran = true; });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return !posted_ran;
  };
  EXPECT_TRUE(strand.run_if_idle(work));
  strand.wait();
  EXPECT_TRUE(posted_ran);
  EXPECT_FALSE(strand.run_if_idle([] { return false; }));
  strand.wait();
}

// A thread needs a moment to begin, and the caller takes its place, but only for what it waits for.
TEST(Strand, WhoWaitsRunsWorkThatNoThreadHasBegun) {
  class Numbered final : public Strand::Task {
   public:
    explicit Numbered(int& count) : count_(count) {}
    void run() noexcept override {
      number = ++count_;
      thread = std::this_thread::get_id();
      ran.release();
    }
    int number = 0;
    std::thread::id thread;
    std::binary_semaphore ran{0};

   private:
    int& count_;
  };
  Strand strand;
  const auto self = std::this_thread::get_id();
  int claimed = 0;
  for (int i = 0; i < 1000; ++i) {
    int count = 0;
    Numbered first(count), wanted(count), last(count);
    strand.run([&] {
      for (Numbered* task : {&first, &wanted, &last}) strand.post(*task);
    });
    if (strand.claim_back()) {
      ++claimed;
      strand.run_claimed(&wanted);
      EXPECT_EQ(self, first.thread);
      EXPECT_EQ(self, wanted.thread);
      last.ran.acquire();
      EXPECT_NE(self, last.thread);
    }
    strand.wait();
    EXPECT_EQ(1, first.number);
    EXPECT_EQ(2, wanted.number);
    EXPECT_EQ(3, last.number);
    EXPECT_FALSE(strand.claim_back());
  }
  EXPECT_GT(claimed, 0);
}

TEST(Strand, OneThatWaitsForAnotherDoesNotHoldItUp) {
  // Like two files whose operations other ranks complete in another order.
  Strand first, second;
  std::promise<void> gate;
  auto opened = gate.get_future();
  post(first, [&] { opened.wait(); });
  post(second, [&] { gate.set_value(); });
  first.wait();
  second.wait();
}

TEST(Strand, CallersFromManyThreadsTakeTurns) {
  Strand strand;
  int64_t count = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        if ((i + t) % 3 == 0) {
          post(strand, [&] { ++count; });
        } else {
          strand.run([&] { ++count; });
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  strand.wait();
  EXPECT_EQ(count, 2000);
}

// Sanitizers need memory of the system for themselves.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// Lets the system refuse memory for a thread's stack, or not.
void refuse_threads(bool refuses) {
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = refuses ? pages * static_cast<size_t>(sysconf(_SC_PAGESIZE)) + (1 << 20) : limit.rlim_max;
  setrlimit(RLIMIT_AS, &limit);
}

void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::exit(1);
}
#define MUST(condition) must(condition, #condition)

// In a process of its own, which has no thread yet.
void work_without_a_thread() {
  std::vector<int> order;
  std::thread::id last_thread;
  const auto self = std::this_thread::get_id();
  Strand strand;
  const auto post_number = [&](int number) {
    post(strand, [&, number] {
      order.push_back(number);
      last_thread = std::this_thread::get_id();
    });
  };
  const auto has_run = [&](int numbers) {
    std::vector<int> expected(static_cast<size_t>(numbers));
    std::iota(expected.begin(), expected.end(), 0);
    return order == expected;
  };
  MUST(!strand.claim());
  refuse_threads(true);
  post_number(0);
  post_number(1);
  MUST(order.empty());
  MUST(strand.claim());
  MUST(!strand.claim());  // it has been claimed
  strand.run_claimed();
  MUST(has_run(2) && last_thread == self);
  MUST(!strand.claim());
  // A caller runs what came before.
  post_number(2);
  MUST(has_run(2));
  strand.run([&] { MUST(has_run(3)); });
  // So does a caller that came before, at its end.
  strand.run([&] { post_number(3); });
  MUST(has_run(4) && last_thread == self);
  // Later work takes along what has no thread.
  post_number(4);
  MUST(has_run(4));
  refuse_threads(false);
  post_number(5);
  strand.wait();
  MUST(has_run(6) && last_thread != self);
  std::exit(0);
}

TEST(Strand, WorkWithoutAThreadStaysUntilSomebodyRunsIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(work_without_a_thread(), testing::ExitedWithCode(0), "");
}

#endif

}  // namespace
}  // namespace concilio::strand_test
