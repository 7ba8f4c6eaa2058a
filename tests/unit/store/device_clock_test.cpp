#include "store/devices/device_clock.h"

#include <gtest/gtest.h>

#include <numeric>
#include <thread>
#include <vector>

#include "store/devices/client_clock.h"

namespace concilio::store::device_clock_test {
namespace {

constexpr int64_t ms = 1'000'000, us = 1'000, second = 1000 * ms;

// Devices of this test alone, with a time of their own.
struct Devices {
  explicit Devices(const ThrottleCosts& of)
      : costs(of), words(static_cast<size_t>(DeviceClock::words_of(of))), clock(of, words) {}
  int64_t read(int64_t offset, int64_t bytes, int64_t now_ns, uint64_t file = 1) {
    return clock.reserve({false, file, offset, bytes}, now_ns) - now_ns;
  }
  int64_t write(int64_t offset, int64_t bytes, int64_t now_ns, uint64_t client = 1) {
    return clock.reserve({true, 1, offset, bytes, client}, now_ns) - now_ns;
  }
  int64_t read_by(uint64_t client, int64_t offset, int64_t bytes, int64_t now_ns) {
    return clock.reserve({false, 1, offset, bytes, client}, now_ns) - now_ns;
  }
  int64_t open(int64_t now_ns) { return clock.reserve_open(now_ns) - now_ns; }
  ThrottleCosts costs;
  std::vector<std::atomic<int64_t>> words;
  DeviceClock clock;
};

ThrottleCosts disk() {
  ThrottleCosts costs;
  costs.streams = 1;
  costs.read_seek_ns = 8 * ms;
  costs.write_seek_ns = 4 * ms;
  costs.bytes_per_second = 1'000'000;  // 1 us a byte
  return costs;
}

ThrottleCosts solid(int64_t streams) {
  ThrottleCosts costs;
  costs.streams = streams;
  costs.request_ns = 100 * us;
  return costs;
}

TEST(DeviceClock, FirstRequestSeeksAndAdjoiningOnesDoNot) {
  Devices disk(device_clock_test::disk());
  EXPECT_EQ(disk.read(0, 1000, second), 9 * ms);
  EXPECT_EQ(disk.read(1000, 1000, 2 * second), 1 * ms);
  EXPECT_EQ(disk.read(5000, 1000, 3 * second), 9 * ms);
  EXPECT_EQ(disk.write(6000, 1000, 4 * second), 1 * ms);
  EXPECT_EQ(disk.write(0, 1000, 5 * second), 5 * ms);
}

TEST(DeviceClock, SameOffsetOfAnotherFileIsAnotherPlace) {
  Devices disk(device_clock_test::disk());
  disk.read(0, 1000, second, 7);
  EXPECT_EQ(disk.read(1000, 1000, 2 * second, 1'000'000'007), 9 * ms);
}

TEST(DeviceClock, OneStreamServesInTurn) {
  Devices device(solid(1));
  EXPECT_EQ(device.read(0, 1, second), 100 * us);
  EXPECT_EQ(device.read(0, 1, second), 200 * us);
  EXPECT_EQ(device.read(0, 1, second + 50 * us), 250 * us);
  EXPECT_EQ(device.read(0, 1, second + 1 * ms), 100 * us);
}

TEST(DeviceClock, StreamsServeSideBySide) {
  Devices device(solid(3));
  for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(device.read(0, 1, second), 100 * us);
  for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(device.read(0, 1, second), 200 * us);
}

TEST(DeviceClock, BandwidthIsOfAllStreamsTogether) {
  ThrottleCosts costs = solid(8);
  costs.bytes_per_second = 1'000'000'000;  // 1 ns a byte
  Devices device(costs);
  EXPECT_EQ(device.write(0, 1'000'000, second), 100 * us + 1 * ms);
  EXPECT_EQ(device.write(0, 1'000'000, second), 2 * ms);
  EXPECT_EQ(device.write(0, 1'000'000, second), 3 * ms);
}

TEST(DeviceClock, ChannelThatAdjoinsIsChosenWhereItIsDoneFirst) {
  ThrottleCosts costs = disk();
  costs.streams = 2;
  Devices device(costs);
  EXPECT_EQ(device.read(0, 1000, second), 9 * ms);           // channel A, at 1000
  EXPECT_EQ(device.read(50'000, 1000, second), 9 * ms);      // channel B, at 51000
  EXPECT_EQ(device.read(51'000, 1000, 2 * second), 1 * ms);  // B
  // A: for the first of the two the pipe belongs to B.
  EXPECT_EQ(device.read(1000, 1000, 2 * second), 2 * ms);
}

TEST(DeviceClock, StripesSpreadOverTargets) {
  ThrottleCosts costs = solid(1);
  costs.targets = 4;
  costs.stripe_bytes = 1000;
  costs.bytes_per_second = 1'000'000;  // for each
  Devices devices(costs);
  EXPECT_EQ(devices.write(0, 1000, second), 1100 * us);      // target 0
  EXPECT_EQ(devices.write(1000, 1000, second), 1100 * us);   // target 1, at the same time
  EXPECT_EQ(devices.write(4000, 1000, second), 2200 * us);   // target 0 again
  EXPECT_EQ(devices.write(0, 8000, 2 * second), 2100 * us);  // two stripes on each
}

TEST(DeviceClock, StripesOfOneTargetAdjoinThere) {
  ThrottleCosts costs = disk();
  costs.targets = 2;
  costs.stripe_bytes = 1000;
  Devices devices(costs);
  EXPECT_EQ(devices.read(0, 1000, second), 9 * ms);
  EXPECT_EQ(devices.read(2000, 1000, 2 * second), 1 * ms);
  EXPECT_EQ(devices.read(6000, 1000, 3 * second), 9 * ms);
}

TEST(DeviceClock, BytesOfTargetsAddUp) {
  for (int64_t end = 0; end < 100; ++end) {
    int64_t sum = 0, target_of_last = -1;
    for (int64_t target = 0; target < 3; ++target) {
      const int64_t bytes = bytes_on_target(end, target, 3, 7);
      sum += bytes;
      if (bytes != bytes_on_target(end + 1, target, 3, 7)) target_of_last = target;
    }
    EXPECT_EQ(sum, end);
    EXPECT_EQ(target_of_last, end / 7 % 3);
  }
}

TEST(DeviceClock, OneMetadataServerOpensInTurn) {
  ThrottleCosts costs;
  costs.opens_per_second = 1000;
  Devices devices(costs);
  for (int64_t i = 1; i <= 5; ++i) EXPECT_EQ(devices.open(second), i * ms);
  EXPECT_EQ(devices.open(2 * second), 1 * ms);
  Devices without(solid(1));
  EXPECT_EQ(without.open(second), 0);
}

TEST(DeviceClock, RequestsDoNotWaitForTheMetadataServer) {
  ThrottleCosts costs = solid(1);
  costs.opens_per_second = 1;
  Devices devices(costs);
  devices.open(second);
  EXPECT_EQ(devices.read(0, 1, second), 100 * us);
}

// 10 us a request, stripes of 1000 bytes, and 1 ms to give a lock back.
ThrottleCosts with_locks() {
  ThrottleCosts costs;
  costs.streams = 8;
  costs.request_ns = 10 * us;
  costs.targets = 2;
  costs.stripe_bytes = 1000;
  costs.revoke_ns = 1 * ms;
  return costs;
}

TEST(DeviceClock, StripeOfAnotherClientMustBeGivenBack) {
  Devices devices(with_locks());
  EXPECT_EQ(devices.write(0, 500, 1 * second, 7), 10 * us);
  EXPECT_EQ(devices.write(500, 500, 2 * second, 7), 10 * us);
  EXPECT_EQ(devices.write(500, 500, 3 * second, 8), 1010 * us);
  EXPECT_EQ(devices.write(0, 500, 4 * second, 8), 10 * us);
  EXPECT_EQ(devices.write(1000, 500, 5 * second, 8), 10 * us);
  EXPECT_EQ(devices.write(0, 2000, 6 * second, 7), 1010 * us);  // both stripes at the same time
}

TEST(DeviceClock, StripeIsGivenBackWhenItsWriteIsOver) {
  Devices devices(with_locks());
  EXPECT_EQ(devices.write(0, 10, second, 1), 10 * us);
  EXPECT_EQ(devices.write(10, 10, second, 2), 1020 * us);
  EXPECT_EQ(devices.write(20, 10, second, 3), 2030 * us);
}

TEST(DeviceClock, ReadersShareAStripe) {
  Devices devices(with_locks());
  devices.write(0, 10, second, 1);
  EXPECT_EQ(devices.read_by(1, 0, 10, 2 * second), 10 * us);
  EXPECT_EQ(devices.read_by(2, 0, 10, 3 * second), 1010 * us);
  EXPECT_EQ(devices.read_by(3, 0, 10, 4 * second), 10 * us);
  EXPECT_EQ(devices.write(0, 10, 5 * second, 2), 10 * us);
}

TEST(DeviceClock, StripesOfOtherFilesAreOtherStripes) {
  Devices devices(with_locks());
  devices.clock.reserve({true, 1, 0, 10, 1}, second);
  EXPECT_EQ(devices.clock.reserve({true, 2, 0, 10, 2}, 2 * second) - 2 * second, 10 * us);
}

TEST(DeviceClock, TimeLineFarInTheFutureIsALeftover) {
  Devices device(solid(1));
  for (auto& word : device.words) word = second + 2 * DeviceClock::longest_backlog_ns;
  EXPECT_EQ(device.read(0, 1, second), 100 * us);
  EXPECT_EQ(device.read(0, 1, second), 200 * us);
}

TEST(DeviceClock, ManyThreadsLoseNoRequest) {
  ThrottleCosts costs = solid(4);
  Devices device(costs);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int64_t request = 0; request < 5000; ++request) device.read(0, 1, second);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(device.read(0, 1, second), (20'000 / 4 + 1) * 100 * us);
}

TEST(TransferTime, LargeAndUnlimited) {
  EXPECT_EQ(transfer_ns(1 << 20, 0), 0);
  EXPECT_EQ(transfer_ns(int64_t{1} << 40, int64_t{1} << 30), 1024 * second);
  EXPECT_GT(transfer_ns(INT64_MAX, 1), 0);
}

// A machine on which sleeps take longer than asked for, with a time of its own.
struct Sleeper {
  void operate(int64_t cost_ns, int64_t took_ns = 0) {
    const int64_t done_ns = client.begin(now_ns) + cost_ns;
    now_ns += took_ns;
    if (!client.end(done_ns, now_ns)) return;
    ++sleeps;
    now_ns = done_ns + oversleep_ns;
    client.woke(done_ns, now_ns);
  }
  int64_t now_ns = second, oversleep_ns = 0;
  int sleeps = 0;
  ClientClock client;
};

TEST(ClientClock, ShortCostsAreExactOnAverageWhateverASleepTakes) {
  for (const int64_t oversleep_ns : {0L, 60 * us, 700 * us}) {
    Sleeper sleeper;
    sleeper.oversleep_ns = oversleep_ns;
    for (int i = 0; i < 10'000; ++i) sleeper.operate(10 * us);
    EXPECT_NEAR(static_cast<double>(sleeper.now_ns - second), 100e6, 1e6) << oversleep_ns;
    EXPECT_LT(sleeper.sleeps, 10'000 / 5);
  }
}

TEST(ClientClock, WhatTheClientDoesBetweenTakesItsOwnTime) {
  Sleeper sleeper;
  sleeper.oversleep_ns = 60 * us;
  for (int i = 0; i < 1000; ++i) {
    sleeper.now_ns += 30 * us;
    sleeper.operate(10 * us);
  }
  EXPECT_NEAR(static_cast<double>(sleeper.now_ns - second), 40e6, 1e6);
}

TEST(ClientClock, WhatAnOperationTookHereCountsThere) {
  Sleeper sleeper;
  sleeper.oversleep_ns = 60 * us;
  for (int i = 0; i < 1000; ++i) sleeper.operate(20 * us, 15 * us);
  EXPECT_NEAR(static_cast<double>(sleeper.now_ns - second), 20e6, 1e6);
}

TEST(ClientClock, SlowOperationEarnsNoCredit) {
  Sleeper sleeper;
  for (int i = 0; i < 100; ++i) sleeper.operate(10 * us, 1000 * us);
  const int64_t begin_ns = sleeper.now_ns;
  for (int i = 0; i < 1000; ++i) sleeper.operate(10 * us);
  EXPECT_NEAR(static_cast<double>(sleeper.now_ns - begin_ns), 10e6, 1e5);
}

TEST(ClientClock, CreditIsLimited) {
  Sleeper sleeper;
  sleeper.oversleep_ns = second;
  sleeper.operate(1 * ms);
  EXPECT_EQ(sleeper.client.begin(sleeper.now_ns), sleeper.now_ns - ClientClock::most_credit_ns);
  EXPECT_EQ(sleeper.client.begin(sleeper.now_ns + second),
            sleeper.now_ns + second - ClientClock::most_credit_ns);
}

}  // namespace
}  // namespace concilio::store::device_clock_test
