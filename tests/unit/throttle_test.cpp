#include "store/throttle.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/counters.h"
#include "store/memory.h"

namespace concilio {
namespace {

constexpr OpenMode create{true, true, true, false};
constexpr int64_t ms = 1'000'000;

template <typename Body>
int64_t time_of(Body body) {
  const int64_t start_ns = now_ns();
  body();
  return now_ns() - start_ns;
}

class ThrottleTest : public testing::Test {
 protected:
  std::unique_ptr<StoreFile> open(const ThrottleCosts& costs) {
    Result<std::unique_ptr<StoreFile>> file =
        make_throttle_store(make_memory_store(), costs)->open("f", create);
    if (!file) {
      ADD_FAILURE() << file.error().message;
      return nullptr;
    }
    return std::move(*file);
  }
  std::vector<std::byte> data_ = std::vector<std::byte>(100'000);
};

// Upper bounds are those of operations that must not sleep at all, and far away: the machine may be busy.
constexpr int64_t long_ns = 60'000 * ms;

TEST_F(ThrottleTest, OpenCostsOnceAndOtherOperationsNothing) {
  ThrottleCosts costs;
  costs.open_ns = 20 * ms;
  EXPECT_GE(time_of([&] { open(costs); }), 20 * ms);
  costs.open_ns = 0;
  costs.lock_ns = long_ns;
  const auto file = open(costs);
  EXPECT_LT(time_of([&] {
              EXPECT_TRUE(file->write({0, data_.data(), 1000}));
              EXPECT_TRUE(file->size());
            }),
            long_ns);
}

TEST_F(ThrottleTest, RequestsAtOnceWaitSideBySide) {
  ThrottleCosts costs;
  costs.request_ns = 20 * ms;
  const auto file = open(costs);
  std::vector<Transfer> transfers;
  for (int64_t i = 0; i < 50; ++i) transfers.push_back({20 * i, data_.data(), 10});
  const int64_t took_ns = time_of([&] { EXPECT_TRUE(file->write_at_once(transfers)); });
  EXPECT_GE(took_ns, 20 * ms);
  EXPECT_LT(took_ns, 50 * 20 * ms);
}

TEST_F(ThrottleTest, EachRequestCostsAndAdjacentTransfersAreOne) {
  ThrottleCosts costs;
  costs.request_ns = 20 * ms;
  const auto file = open(costs);
  const Transfer transfers[] = {{0, data_.data(), 10}, {20, data_.data(), 10}, {40, data_.data(), 10}};
  EXPECT_GE(time_of([&] { EXPECT_TRUE(file->write(transfers)); }), 60 * ms);
  std::vector<Transfer> adjacent;
  for (int64_t i = 0; i < 10'000; ++i) adjacent.push_back({i, data_.data(), 1});
  EXPECT_LT(time_of([&] { EXPECT_TRUE(file->read(adjacent)); }), 10'000 * 20 * ms);
}

TEST_F(ThrottleTest, BytesTakeTheirTime) {
  ThrottleCosts costs;
  costs.bytes_per_second = 1'000'000;
  const auto file = open(costs);
  EXPECT_GE(time_of([&] { EXPECT_TRUE(file->write({0, data_.data(), 50'000})); }), 50 * ms);
  EXPECT_GE(time_of([&] { EXPECT_TRUE(file->read({0, data_.data(), 20'000})); }), 20 * ms);
}

TEST_F(ThrottleTest, LocksCost) {
  ThrottleCosts costs;
  costs.lock_ns = 10 * ms;
  const auto file = open(costs);
  EXPECT_GE(time_of([&] {
              EXPECT_TRUE(file->lock(0, 10, LockMode::exclusive, 0));
              EXPECT_TRUE(file->unlock(0, 10));
            }),
            20 * ms);
}

TEST_F(ThrottleTest, ThreadsSleepSideBySide) {
  ThrottleCosts costs;
  costs.request_ns = 100 * ms;
  const auto file = open(costs);
  const int64_t time_ns = time_of([&] {
    std::vector<std::thread> threads;
    for (int64_t i = 0; i < 16; ++i) {
      threads.emplace_back([&, i] { EXPECT_TRUE(file->write({i, data_.data(), 1})); });
    }
    for (std::thread& thread : threads) thread.join();
  });
  EXPECT_GE(time_ns, 100 * ms);
  EXPECT_LT(time_ns, 16 * 100 * ms);
}

TEST(ParseThrottle, NamesAndUnits) {
  const auto costs = parse_throttle("open=5;request=0.1;bandwidth=100M;lock=2");
  ASSERT_TRUE(costs);
  EXPECT_EQ(costs->open_ns, 5 * ms);
  EXPECT_EQ(costs->request_ns, ms / 10);
  EXPECT_EQ(costs->bytes_per_second, 100 << 20);
  EXPECT_EQ(costs->lock_ns, 2 * ms);
  EXPECT_EQ(parse_throttle("")->bytes_per_second, 0);
}

TEST(ParseThrottle, WhatIsWrongIsNamed) {
  for (const char* text : {"speed=3", "request", "request=", "request=fast", "bandwidth=0", "open=-1"}) {
    const auto costs = parse_throttle(text);
    ASSERT_FALSE(costs) << text;
    EXPECT_EQ(costs.error().kind, ErrorKind::argument);
    EXPECT_NE(costs.error().message.find(text), std::string::npos) << costs.error().message;
  }
}

}  // namespace
}  // namespace concilio
