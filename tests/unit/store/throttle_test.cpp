#include "store/wrappers/throttle.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "base/counters.h"
#include "store/devices/client_clock.h"
#include "store/memory.h"

namespace concilio::store::throttle_test {
namespace {

constexpr OpenMode create{true, true, true, false};
constexpr int64_t ms = 1'000'000;
// How far ahead of its time a client may be after some operations.
constexpr int64_t most_ahead = ClientClock::most_ahead_ns;

template <typename Body>
int64_t time_of(Body body) {
  const int64_t start_ns = now_ns();
  // The same for a thread of its own, which has not slept too long yet.
  std::thread(body).join();
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

// Upper bounds are for operations that must not sleep at all. They are generous, because the machine may be
// busy.
constexpr int64_t long_ns = 60'000 * ms;

TEST_F(ThrottleTest, OpenCostsOnceAndOtherOperationsNothing) {
  ThrottleCosts costs;
  costs.open_ns = 20 * ms;
  EXPECT_GE(time_of([&] { open(costs); }), 20 * ms - most_ahead);
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
  EXPECT_GE(took_ns, 20 * ms - most_ahead);
  EXPECT_LT(took_ns, 50 * 20 * ms);
}

TEST_F(ThrottleTest, EachRequestCostsAndAdjacentTransfersAreOne) {
  ThrottleCosts costs;
  costs.request_ns = 20 * ms;
  const auto file = open(costs);
  const Transfer transfers[] = {{0, data_.data(), 10}, {20, data_.data(), 10}, {40, data_.data(), 10}};
  EXPECT_GE(time_of([&] { EXPECT_TRUE(file->write(transfers)); }), 60 * ms - most_ahead);
  std::vector<Transfer> adjacent;
  for (int64_t i = 0; i < 10'000; ++i) adjacent.push_back({i, data_.data(), 1});
  EXPECT_LT(time_of([&] { EXPECT_TRUE(file->read(adjacent)); }), 10'000 * 20 * ms);
}

TEST_F(ThrottleTest, BytesTakeTheirTime) {
  ThrottleCosts costs;
  costs.bytes_per_second = 1'000'000;
  const auto file = open(costs);
  EXPECT_GE(time_of([&] { EXPECT_TRUE(file->write({0, data_.data(), 50'000})); }), 50 * ms - most_ahead);
  EXPECT_GE(time_of([&] { EXPECT_TRUE(file->read({0, data_.data(), 20'000})); }), 20 * ms - most_ahead);
}

TEST_F(ThrottleTest, LocksCost) {
  ThrottleCosts costs;
  costs.lock_ns = 10 * ms;
  const auto file = open(costs);
  EXPECT_GE(time_of([&] {
              EXPECT_TRUE(file->lock(0, 10, LockMode::exclusive, 0));
              EXPECT_TRUE(file->unlock(0, 10));
            }),
            20 * ms - most_ahead);
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
  EXPECT_GE(time_ns, 100 * ms - most_ahead);
  EXPECT_LT(time_ns, 16 * 100 * ms);
}

// For devices of one test alone.
class ThrottledDevice : public ThrottleTest {
 protected:
  ThrottledDevice() {
    costs_.streams = 1;
    costs_.state = std::filesystem::temp_directory_path() / ("concilio_device_" + std::to_string(getpid()));
  }
  ThrottleCosts costs_;
};

TEST_F(ThrottledDevice, ClientsWaitForOneAnother) {
  costs_.request_ns = 10 * ms;
  const auto file = open(costs_), other = open(costs_);
  const int64_t time_ns = time_of([&] {
    std::thread thread([&] {
      for (int64_t i = 0; i < 10; ++i) EXPECT_TRUE(other->write({i, data_.data(), 1}));
    });
    for (int64_t i = 0; i < 10; ++i) EXPECT_TRUE(file->write({i, data_.data(), 1}));
    thread.join();
  });
  EXPECT_GE(time_ns, 200 * ms - most_ahead);
}

TEST_F(ThrottledDevice, OthersComeBetweenTheRequestsOfOneCall) {
  costs_.request_ns = 20 * ms;
  const auto file = open(costs_), other = open(costs_);
  std::vector<Transfer> transfers;
  for (int64_t i = 0; i < 50; ++i) transfers.push_back({20 * i, data_.data(), 10});
  std::atomic<bool> under_way = false, over = false;
  std::thread thread([&] {
    EXPECT_TRUE(file->write({5000, data_.data(), 1}));
    under_way = true;
    EXPECT_TRUE(file->write(transfers));
    over = true;
  });
  while (!under_way) std::this_thread::yield();
  // By then some of the list's requests are over.
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_TRUE(other->write({2000, data_.data(), 1}));
  EXPECT_FALSE(over);
  thread.join();
}

TEST_F(ThrottledDevice, ScatteredRequestsOfOneCallSeekEach) {
  costs_.read_seek_ns = 20 * ms;
  costs_.write_seek_ns = 10 * ms;
  const auto file = open(costs_);
  const Transfer transfers[] = {{0, data_.data(), 10}, {10, data_.data(), 10}, {40, data_.data(), 10}};
  EXPECT_GE(time_of([&] { EXPECT_TRUE(file->write(transfers)); }), 20 * ms - most_ahead);
  EXPECT_GE(time_of([&] { EXPECT_TRUE(file->read(transfers)); }), 40 * ms - most_ahead);
  EXPECT_GE(time_of([&] { EXPECT_TRUE(file->read_at_once(transfers)); }), 40 * ms - most_ahead);
}

TEST_F(ThrottledDevice, RequestsAtOnceTakeStreamsSideBySide) {
  costs_.request_ns = 50 * ms;
  costs_.streams = 8;
  const auto file = open(costs_);
  std::vector<Transfer> transfers;
  for (int64_t i = 0; i < 16; ++i) transfers.push_back({20 * i, data_.data(), 10});
  const int64_t took_ns = time_of([&] { EXPECT_TRUE(file->write_at_once(transfers)); });
  EXPECT_GE(took_ns, 100 * ms - most_ahead);
  EXPECT_LT(took_ns, 16 * 50 * ms);
}

TEST_F(ThrottledDevice, RequestsInTurnAreNotSideBySide) {
  costs_.request_ns = 10 * ms;
  costs_.streams = 8;
  const auto file = open(costs_);
  const Transfer transfers[] = {{0, data_.data(), 10}, {20, data_.data(), 10}, {40, data_.data(), 10}};
  EXPECT_GE(time_of([&] { EXPECT_TRUE(file->write(transfers)); }), 30 * ms - most_ahead);
}

TEST_F(ThrottledDevice, TinyCostsAddUp) {
  costs_.request_ns = 10'000;
  costs_.streams = 8;
  const auto file = open(costs_);
  const int64_t took_ns = time_of([&] {
    for (int64_t i = 0; i < 10'000; ++i) EXPECT_TRUE(file->write({i, data_.data(), 1}));
  });
  EXPECT_GE(took_ns, 100 * ms - most_ahead);
}

TEST_F(ThrottledDevice, TransfersThatAreNoneAreTheStoresToRefuse) {
  const auto file = open(costs_);
  EXPECT_FALSE(file->write({-1, data_.data(), 1}));
}

TEST_F(ThrottledDevice, LayoutIsTheModels) {
  auto costs = parse_throttle("device=lustre:2;open=0");
  ASSERT_TRUE(costs);
  costs->state = costs_.state;
  const auto layout = open(*costs)->layout();
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->name, "lustre, modelled");
  EXPECT_EQ(layout->stripe_targets, 2);
}

TEST_F(ThrottleTest, OpensQueueAtTheMetadataServerAndNothingElseDoes) {
  ThrottleCosts costs;
  costs.opens_per_second = 50;
  costs.state = std::filesystem::temp_directory_path() / ("concilio_opens_" + std::to_string(getpid()));
  const auto first = open(costs);  // so that the server outlives each of those that follow
  EXPECT_GE(time_of([&] {
              std::vector<std::thread> threads;
              for (int i = 0; i < 5; ++i) threads.emplace_back([&] { open(costs); });
              for (std::thread& thread : threads) thread.join();
            }),
            100 * ms - most_ahead);
  costs.request_ns = long_ns;
  EXPECT_LT(time_of([&] { open(costs); }), long_ns);
  EXPECT_LT(time_of([&] { EXPECT_TRUE(first->write({0, data_.data(), 1000})); }), long_ns);
}

TEST_F(ThrottleTest, SeeksOfAClientOfItsOwn) {
  ThrottleCosts costs;
  costs.read_seek_ns = costs.write_seek_ns = 20 * ms;
  const auto file = open(costs);
  const Transfer transfers[] = {{0, data_.data(), 10}, {20, data_.data(), 10}};
  EXPECT_GE(time_of([&] { EXPECT_TRUE(file->write(transfers)); }), 40 * ms - most_ahead);
  costs.read_seek_ns = costs.write_seek_ns = long_ns;
  const auto other = open(costs);
  EXPECT_LT(time_of([&] { EXPECT_TRUE(other->size()); }), long_ns);
}

}  // namespace
}  // namespace concilio::store::throttle_test
