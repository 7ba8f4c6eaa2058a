#include "exec/storage/held_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "base/counters.h"
#include "exec/locks/range_lock.h"
#include "store/posix/posix.h"

namespace concilio::exec::held_ranges_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<pattern::Interval> leave(HeldRanges& held, HeldRanges::Place place) {
  std::vector<pattern::Interval> unlocked;
  held.leave(place, [&](pattern::Interval part) { unlocked.push_back(part); });
  return unlocked;
}

TEST(HeldRanges, WhatNobodyElseHoldsIsUnlocked) {
  HeldRanges held;
  const auto first = held.enter({0, 100}, store::LockMode::shared, true);
  const auto second = held.enter({50, 150}, store::LockMode::shared, true);
  EXPECT_THAT(leave(held, first), ElementsAre(pattern::Interval{0, 50}));
  EXPECT_THAT(leave(held, second), ElementsAre(pattern::Interval{50, 150}));
}

// Closing one file released the lock of the process, though the other open had never locked the file.
TEST(HeldRanges, AHolderInMemoryAloneKeepsNothingLockedInTheFile) {
  HeldRanges held;
  const auto on_file = held.enter({0, 100}, store::LockMode::shared, true);
  const auto in_memory = held.enter({50, 150}, store::LockMode::shared, false);
  EXPECT_THAT(leave(held, on_file), ElementsAre(pattern::Interval{0, 100}));
  EXPECT_THAT(leave(held, in_memory), IsEmpty());
}

TEST(HeldRanges, WhoWaitsIsNotPassed) {
  HeldRanges held;
  const auto reader = held.enter({0, 100}, store::LockMode::shared, false);
  std::atomic<bool> writer_in = false, late_reader_in = false;
  std::thread writer([&] {
    const auto place = held.enter({0, 100}, store::LockMode::exclusive, false);
    writer_in = true;
    EXPECT_FALSE(late_reader_in);
    held.leave(place, [](pattern::Interval) {});
  });
  // A reader of other bytes does not wait for anyone. It shows that the writer has come when the reader has
  // to wait.
  std::thread late_reader([&] {
    while (held.waiting() == 0) std::this_thread::yield();
    const auto place = held.enter({0, 100}, store::LockMode::shared, false);
    late_reader_in = true;
    EXPECT_TRUE(writer_in);
    held.leave(place, [](pattern::Interval) {});
  });
  while (held.waiting() < 2) std::this_thread::yield();
  EXPECT_FALSE(writer_in);
  EXPECT_FALSE(late_reader_in);
  held.leave(reader, [](pattern::Interval) {});
  writer.join();
  late_reader.join();
}

// Two threads of one open, with and without locks on the file. No lock remains when both have finished.
TEST(RangeLock, NothingStaysLocked) {
  const std::string path = testing::TempDir() + "held_ranges_test.locks";
  const auto store = store::make_posix_store();
  Counters counters;
  Storage mine(*store, path, {true, true, true, false}, counters);
  Storage other(*store, path, {true, true, true, false}, counters);
  const auto work = [&](int64_t offset, bool file_too) {
    for (int i = 0; i < 500; ++i) {
      RangeLock lock(mine, offset, 100);
      ASSERT_TRUE(lock.acquire(store::LockMode::shared, file_too));
    }
  };
  std::thread first(work, 0, true), second(work, 50, false), third(work, 70, true);
  first.join();
  second.join();
  third.join();
  EXPECT_TRUE(other.lock(0, 1000, store::LockMode::exclusive, 0));
  std::remove(path.c_str());
}

}  // namespace
}  // namespace concilio::exec::held_ranges_test
