#include "store/devices/device_state.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <vector>

#include "store/devices/device_clock.h"

namespace concilio::store::device_state_test {
namespace {

constexpr int64_t us = 1'000, second = 1'000'000'000;

class DeviceStateTest : public testing::Test {
 protected:
  void SetUp() override {
    costs_.streams = 2;
    costs_.request_ns = 100 * us;
    costs_.state = std::filesystem::temp_directory_path() / ("concilio_state_" + std::to_string(getpid()));
  }
  void TearDown() override { std::filesystem::remove(costs_.state); }
  bool is_there() const { return access(costs_.state.c_str(), F_OK) == 0; }
  // The end of a request at one instant, which tells how many requests came before it.
  int64_t reserve(DeviceState& state) const {
    return DeviceClock(costs_, state.words()).reserve({false, 1, 0, 1}, second) - second;
  }
  // A child process that opens the state itself; returns true if it succeeded.
  template <typename Body>
  bool in_child(Body body) {
    const pid_t child = fork();
    if (child == 0) _exit(body() ? 0 : 1);
    int status = -1;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  ThrottleCosts costs_;
};

TEST_F(DeviceStateTest, OpeningsShareOneTimeLineUntilTheLastIsClosed) {
  auto first = DeviceState::open(costs_);
  ASSERT_TRUE(first->is_shared());
  auto second_one = DeviceState::open(costs_);
  EXPECT_EQ(reserve(*first), 100 * us);
  EXPECT_EQ(reserve(*second_one), 100 * us);
  EXPECT_EQ(reserve(*first), 200 * us);
  first.reset();
  EXPECT_TRUE(is_there());
  EXPECT_EQ(reserve(*second_one), 200 * us);
  second_one.reset();
  EXPECT_FALSE(is_there());
}

TEST_F(DeviceStateTest, ProcessesShareIt) {
  const auto state = DeviceState::open(costs_);
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    const auto own = DeviceState::open(costs_);
    for (int request = 0; request < 1000; ++request) reserve(*own);
    _exit(own->is_shared() ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(reserve(*state), (4000 / 2 + 1) * 100 * us);
}

TEST_F(DeviceStateTest, ManyComeAndGoAtOnce) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    bool shared = true;
    for (int turn = 0; turn < 300; ++turn) shared = shared && DeviceState::open(costs_)->is_shared();
    _exit(shared ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_FALSE(is_there());
}

TEST_F(DeviceStateTest, ForkedChildThatEndsTakesNothingFromItsParent) {
  auto state = DeviceState::open(costs_);
  EXPECT_TRUE(in_child([&] {
    state.reset();
    return is_there();
  }));
  EXPECT_TRUE(is_there());
  EXPECT_EQ(reserve(*state), 100 * us);
}

TEST_F(DeviceStateTest, LeftoverOfAKilledProcessIsMadeAnew) {
  const pid_t child = fork();
  if (child == 0) {
    const auto state = DeviceState::open(costs_);
    for (auto& word : state->words()) word = INT64_MAX / 2;
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_TRUE(is_there());
  EXPECT_EQ(std::filesystem::file_size(costs_.state), 4096U);
  auto state = DeviceState::open(costs_);
  EXPECT_TRUE(state->is_shared());
  EXPECT_EQ(reserve(*state), 100 * us);
  state.reset();
  EXPECT_FALSE(is_there());
}

TEST_F(DeviceStateTest, LocksOfStripesAreShared) {
  costs_.revoke_ns = 1000 * us;
  const auto state = DeviceState::open(costs_);
  ASSERT_TRUE(state->is_shared());
  EXPECT_EQ(static_cast<int64_t>(state->words().size()), DeviceClock::words_of(costs_));
  EXPECT_TRUE(in_child([&] {
    const auto own = DeviceState::open(costs_);
    DeviceClock(costs_, own->words()).reserve({true, 1, 1 << 30, 1, 7}, second);
    return own->is_shared();
  }));
  EXPECT_EQ(DeviceClock(costs_, state->words()).reserve({true, 1, 1 << 30, 1, 8}, 2 * second) - 2 * second,
            1100 * us);
}

TEST_F(DeviceStateTest, LeftoverOfOtherDevicesIsMadeAnew) {
  EXPECT_FALSE(in_child([&] {
    ThrottleCosts others = costs_;
    others.streams = 7;
    const auto state = DeviceState::open(others);
    raise(SIGKILL);
    return true;
  }));
  ASSERT_TRUE(is_there());
  const auto state = DeviceState::open(costs_);
  EXPECT_TRUE(state->is_shared());
  EXPECT_EQ(reserve(*state), 100 * us);
}

TEST_F(DeviceStateTest, FileThatOtherDevicesUseIsLeftToThem) {
  const auto state = DeviceState::open(costs_);
  ThrottleCosts others = costs_;
  others.streams = 7;
  EXPECT_FALSE(DeviceState::open(others)->is_shared());
  EXPECT_TRUE(is_there());
  EXPECT_EQ(reserve(*state), 100 * us);
}

TEST_F(DeviceStateTest, FileOfSomethingElseIsLeftAsItIs) {
  std::ofstream(costs_.state) << "a text";
  auto state = DeviceState::open(costs_);
  EXPECT_FALSE(state->is_shared());
  EXPECT_EQ(reserve(*state), 100 * us);
  state.reset();
  std::string text;
  std::getline(std::ifstream(costs_.state), text);
  EXPECT_EQ(text, "a text");
}

TEST_F(DeviceStateTest, WithoutAFileItIsTheProcesssOwn) {
  costs_.state = "/no/such/folder/state";
  const auto state = DeviceState::open(costs_);
  EXPECT_FALSE(state->is_shared());
  EXPECT_EQ(reserve(*state), 100 * us);
  EXPECT_EQ(reserve(*state), 100 * us);
  EXPECT_EQ(reserve(*state), 200 * us);
}

TEST(DeviceStatePath, OneForTheSameCosts) {
  ThrottleCosts costs;
  costs.streams = 1;
  const std::string path = device_state_path(costs);
  EXPECT_EQ(path.find("/dev/shm/concilio-device-"), 0U);
  EXPECT_EQ(device_state_path(costs), path);
  costs.read_seek_ns = 1;
  EXPECT_NE(device_state_path(costs), path);
}

}  // namespace
}  // namespace concilio::store::device_state_test
