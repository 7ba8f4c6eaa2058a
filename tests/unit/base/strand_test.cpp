#include "base/system/strand.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <numeric>
#include <thread>
#include <vector>

namespace concilio::strand_test {
namespace {

TEST(Strand, PostedTasksRunInOrder) {
  std::vector<int> order;  // no lock is needed: tasks of one strand never run at the same time
  Strand strand;
  for (int i = 0; i < 1000; ++i) strand.post([&order, i] { order.push_back(i); });
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
  strand.post([&] {
    opened.wait();
    ++done;
  });
  strand.post([&] { ++done; });
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
    strand.post([&] {
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

TEST(Strand, OneThatWaitsForAnotherDoesNotHoldItUp) {
  // Like two files whose operations other ranks complete in another order.
  Strand first, second;
  std::promise<void> gate;
  auto opened = gate.get_future();
  first.post([&] { opened.wait(); });
  second.post([&] { gate.set_value(); });
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
          strand.post([&] { ++count; });
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

}  // namespace
}  // namespace concilio::strand_test
