#include "plan/choose/hole_filling.h"

#include <gtest/gtest.h>

#include "plan/facts/prices.h"

namespace concilio::plan::hole_filling_test {
namespace {

constexpr int64_t KiB = 1 << 10, MiB = 1 << 20;
constexpr Flush rmw = Flush::read_modify_write, list = Flush::list, batch = Flush::batch;
const Prices local = builtin_prices({StorageFacts::Kind::local, 4096, 0, 0});
const Prices remote = builtin_prices({StorageFacts::Kind::parallel, 4096, 0, 0});

// Storage that serves 32 requests of 100 us at the same time, with 1 GB/s.
Prices wide() {
  Prices prices = remote;
  const Curve request = Curve::line(100e-6, 1e9);
  prices.read.adjoining = prices.read.scattered = prices.write.adjoining = prices.write.scattered = request;
  prices.window_piece_seconds = 100e-6;
  prices.window_bytes_per_second = 1e9;
  prices.write.at_once = prices.read.at_once = {32, 1e-6};
  return prices;
}

// `runs` stretches of `run_bytes`, which begin `extent` bytes apart.
WindowShape strided(int64_t runs, int64_t run_bytes, int64_t extent) {
  return {(runs - 1) * extent + run_bytes, runs * run_bytes, runs, (runs - 1) * extent};
}

TEST(FlushByPrice, ManyShortRunsAreRewrittenFewAreListed) {
  EXPECT_EQ(choose_flush(strided(8192, 64, 128), {}, local), rmw);
  EXPECT_EQ(choose_flush(strided(2, MiB / 2 - 2 * KiB, MiB / 2 + 2 * KiB), {}, local), list);
  EXPECT_EQ(choose_flush(strided(2, 64, MiB), {}, local), list);
}

TEST(GapsOfReads, AreWorthReadingUpToWhatAnotherRequestCosts) {
  EXPECT_NEAR(gap_worth_reading(local), 5000, 1);
  EXPECT_NEAR(gap_worth_reading(remote), 100000, 1);
  Prices free = local;
  free.read.window = Curve::up_to(1);  // bytes cost nothing
  EXPECT_EQ(gap_worth_reading(free), 1 << 30);
}

TEST(FlushByPrice, RemoteRequestsMoveTheChoiceTowardsRewriting) {
  EXPECT_EQ(choose_flush(strided(8, 2 * KiB, 128 * KiB), {}, local), list);
  EXPECT_EQ(choose_flush(strided(32, 2 * KiB, 32 * KiB), {}, remote), rmw);
}

TEST(FlushByPrice, RequestsAtOnceWhereStorageServesMany) {
  EXPECT_EQ(choose_flush(strided(128, 2 * KiB, 64 * KiB), {}, wide()), batch);
  EXPECT_EQ(choose_flush(strided(8192, 64, 128), {}, wide()), rmw);
  EXPECT_EQ(choose_flush(strided(128, 2 * KiB, 64 * KiB), {}, local), list) << "writers take turns there";
}

TEST(FlushByPrice, ManyWritersPreferSmallRequestsWhereStorageServesMoreOfThem) {
  Prices prices = wide();
  prices.write.at_once = {1, 1e-6};
  prices.write.clients_small = Curve::up_to(60);
  prices.write.clients_large = Curve::up_to(15);
  const WindowShape window =
      strided(32, 8 * KiB, 32 * KiB);  // 3.2 ms of requests, or 2 ms of old and new bytes
  EXPECT_EQ(choose_flush(window, {}, prices), rmw);
  EXPECT_EQ(choose_flush(window, {{}, 0, true, 15}, prices), rmw) << "none waits yet";
  EXPECT_EQ(choose_flush(window, {{}, 0, true, 60}, prices), list);
  prices.write.clients_large = prices.write.clients_small;
  EXPECT_EQ(choose_flush(window, {{}, 0, true, 600}, prices), rmw) << "all wait alike";
  EXPECT_EQ(choose_flush(strided(256, 1 * KiB, 4 * KiB), {{}, 0, true, 60}, local), rmw)
      << "measured so with several";
}

TEST(FlushByPrice, RewritingTakesALockWhereThatIsARoundTrip) {
  Prices prices = wide();
  prices.write.at_once = {1, 1e-6};
  prices.lock_seconds = 0;
  const WindowShape window = strided(4, 4 * KiB, 16 * KiB);
  EXPECT_EQ(choose_flush(window, {}, prices), rmw);
  prices.lock_seconds = 300e-6;
  EXPECT_EQ(choose_flush(window, {}, prices), list);
}

TEST(FlushCosts, RequestsUnderWayAtOnceShareWhatStorageServes) {
  Prices prices = wide();
  prices.write.clients_small = prices.write.clients_large = Curve::up_to(64);
  const WindowShape window = strided(100, 4 * KiB, 8 * KiB);
  const auto seconds = [&](int64_t writers) {
    return cost_of_flush(batch, window, 1, prices, writers).request_seconds;
  };
  EXPECT_NEAR(seconds(1), 100 * (100e-6 / 32 + 1e-6), 1e-9);
  EXPECT_NEAR(seconds(2), seconds(1), 1e-9) << "2 of 32 each are served together";
  EXPECT_NEAR(seconds(4), 2 * seconds(1), 1e-9);
}

TEST(FlushByPrice, LocalCrossoverLiesWhereItWasMeasured) {
  // With stretches that begin 64 KiB apart, rewriting took as long as listing, within the variation between
  // runs.
  for (const int64_t percent : {10, 50}) {
    EXPECT_EQ(choose_flush(strided(256, 4 * KiB * percent / 100, 4 * KiB), {}, local), rmw);
    EXPECT_EQ(choose_flush(strided(8, 128 * KiB * percent / 100, 128 * KiB), {}, local), list);
  }
}

TEST(FlushByPrice, ExtentDecidesRatherThanTheShareOfBytes) {
  // Figure 5 of the paper: a quarter of the extent is data.
  EXPECT_EQ(choose_flush(strided(4096, 256, KiB), {}, wide()), rmw);
  EXPECT_EQ(choose_flush(strided(64, 16 * KiB, 64 * KiB), {}, wide()), batch);
}

TEST(FlushThreshold, UpToAHundredIsAPercentageFilled) {
  const WindowShape quarter = strided(1000, 256, KiB), few = strided(2, 64, MiB);
  EXPECT_EQ(choose_flush(quarter, {{}, 20, true}, local), rmw);
  EXPECT_EQ(choose_flush(quarter, {{}, 26, true}, local), list);
  EXPECT_EQ(choose_flush(quarter, {{}, 100, true}, local), list);
  EXPECT_EQ(choose_flush(quarter, {{}, 26, true}, wide()), batch);
  EXPECT_EQ(choose_flush(few, {{}, 1, true}, local), list);
  EXPECT_EQ(choose_flush({100, 60, 2, 70}, {{}, 60, true}, local), rmw) << "just filled enough";
  EXPECT_EQ(choose_flush({100, 59, 2, 70}, {{}, 60, true}, local), list);
}

TEST(FlushThreshold, AboveIsAnExtentInBytes) {
  for (const int64_t extent : {1 * KiB, 8 * KiB, 16 * KiB}) {
    EXPECT_EQ(choose_flush(strided(20, 100, extent), {{}, 16 * KiB, true}, local), rmw) << extent;
  }
  for (const int64_t extent : {16 * KiB + 1, 64 * KiB}) {
    EXPECT_EQ(choose_flush(strided(20, 100, extent), {{}, 16 * KiB, true}, local), list) << extent;
    EXPECT_EQ(choose_flush(strided(20, 100, extent), {{}, 16 * KiB, true}, wide()), batch) << extent;
  }
  EXPECT_EQ(choose_flush(strided(20, 50, 101), {{}, 101, true}, local), rmw);
  EXPECT_EQ(choose_flush(strided(20, 50, 102), {{}, 101, true}, local), list);
}

TEST(FlushThreshold, ExtentIsTheMeanDistanceOfStarts) {
  EXPECT_EQ(strided(5, 10, 300).extent_bytes(), 300);
  EXPECT_EQ((WindowShape{1000, 30, 3, 990}.extent_bytes()), 495);
  EXPECT_EQ((WindowShape{10, 10, 1, 0}.extent_bytes()), 0);
}

TEST(FlushThreshold, HugeWindowsDoNotOverflow) {
  const WindowShape half{INT64_MAX - 1, INT64_MAX / 2, 2, INT64_MAX / 2};
  EXPECT_EQ(choose_flush(half, {{}, 40, true}, local), rmw);
  EXPECT_EQ(choose_flush(half, {{}, 60, true}, local), list);
}

TEST(FlushAsked, WhatIsAskedForWinsOverThresholdAndPrice) {
  for (const Flush asked : {rmw, list, batch}) {
    for (const int64_t threshold : {int64_t{0}, int64_t{1}, int64_t{100}, MiB}) {
      EXPECT_EQ(choose_flush(strided(500, 64, 128), {asked, threshold, true}, local), asked);
      EXPECT_EQ(choose_flush(strided(2, 64, MiB), {asked, threshold, true}, wide()), asked);
    }
  }
}

TEST(FlushSafety, NothingRewritesWhatIsNotSafe) {
  const WindowShape dense = strided(8192, 64, 128);
  for (const int64_t threshold : {int64_t{0}, int64_t{1}, MiB}) {
    EXPECT_EQ(choose_flush(dense, {{}, threshold, false}, local), list);
    EXPECT_EQ(choose_flush(dense, {rmw, threshold, false}, local), list);
    EXPECT_EQ(choose_flush(dense, {rmw, threshold, false}, wide()), batch);
    EXPECT_EQ(choose_flush(dense, {batch, threshold, false}, local), batch);
    EXPECT_EQ(choose_flush(dense, {list, threshold, false}, wide()), list);
  }
}

TEST(AtOnce, OneRequestGainsNothing) {
  EXPECT_FALSE(pays_at_once(Operation::write, 1, wide()));
  EXPECT_TRUE(pays_at_once(Operation::write, 2, wide()));
  EXPECT_TRUE(pays_at_once(Operation::read, 100, remote));
  EXPECT_FALSE(pays_at_once(Operation::read, 100, local));
  EXPECT_FALSE(pays_at_once(Operation::write, 100, local));
}

TEST(AtOnce, StorageServesNoMoreThanThereAre) {
  EXPECT_NEAR(seconds_at_once(Operation::write, 4, wide()), 26e-6, 1e-9);
  EXPECT_NEAR(seconds_at_once(Operation::write, 1000, wide()), 4.125e-6, 1e-9);
}

TEST(FlushCosts, OfManyWindowsTogether) {
  const WindowShape all = strided(1000, 1000, 10'000);
  EXPECT_NEAR(cost_of_flush(rmw, all, 10, local).request_seconds, 20e-6, 1e-12);
  EXPECT_NEAR(cost_of_flush(list, all, 10, local).request_seconds, 1000 * local.window_piece_seconds, 1e-9);
  EXPECT_EQ(cost_of_flush(list, all, 10, local).byte_seconds, 1e6 / local.window_bytes_per_second);
  EXPECT_EQ(cheapest_flush(all, 10, local), rmw);
  EXPECT_EQ(cheapest_flush(strided(10, 1000, 1000000), 10, local), list);
}

}  // namespace
}  // namespace concilio::plan::hole_filling_test
