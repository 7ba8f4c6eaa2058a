#include "store/devices/throttle_costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace concilio::store::throttle_costs_test {
namespace {

using testing::HasSubstr;
using Kind = StorageLayout::Kind;
using Medium = StorageLayout::Medium;

constexpr int64_t ms = 1'000'000, mib = 1 << 20;

ThrottleCosts parsed(std::string_view text) {
  const auto costs = parse_throttle(text);
  if (!costs) ADD_FAILURE() << text << ": " << costs.error().message;
  return costs ? *costs : ThrottleCosts{};
}

std::string complaint(const std::string& text) {
  const auto costs = parse_throttle(text);
  if (costs) return "none";
  EXPECT_EQ(costs.error().kind, ErrorKind::argument);
  return costs.error().message;
}

TEST(ParseThrottle, NamesAndUnits) {
  const auto costs = parsed("open=5;request=0.1;bandwidth=100M;lock=2");
  EXPECT_EQ(costs.open_ns, 5 * ms);
  EXPECT_EQ(costs.request_ns, ms / 10);
  EXPECT_EQ(costs.bytes_per_second, 100 * mib);
  EXPECT_EQ(costs.lock_ns, 2 * ms);
  EXPECT_EQ(costs.streams, 0);
  EXPECT_EQ(parsed(""), ThrottleCosts{});
}

TEST(ParseThrottle, DevicesOfSeveralTargets) {
  const auto costs = parsed("seek=8;streams=2; targets=3 ;stripe=64k;state=/tmp/device");
  EXPECT_EQ(costs.read_seek_ns, 8 * ms);
  EXPECT_EQ(costs.write_seek_ns, 8 * ms);
  EXPECT_EQ(costs.streams, 2);
  EXPECT_EQ(costs.targets, 3);
  EXPECT_EQ(costs.stripe_bytes, 64 << 10);
  EXPECT_EQ(costs.state, "/tmp/device");
}

TEST(ParseThrottle, MetadataServerAndLocksOfStripes) {
  const auto costs = parsed("opens=4000;streams=2;revoke=0.5");
  EXPECT_EQ(costs.opens_per_second, 4000);
  EXPECT_EQ(costs.revoke_ns, ms / 2);
  EXPECT_TRUE(parsed("opens=1").are_shared());
  EXPECT_FALSE(parsed("open=1").are_shared());
}

TEST(ParseThrottle, SeeksOfReadsAndWritesApart) {
  const auto costs = parsed("seek_read=8;seek_write=4");
  EXPECT_EQ(costs.read_seek_ns, 8 * ms);
  EXPECT_EQ(costs.write_seek_ns, 4 * ms);
}

TEST(ParseThrottle, PresetsAreWhatTheySay) {
  const auto hdd = parsed("device=hdd");
  EXPECT_EQ(hdd.bytes_per_second, 200'000'000);
  EXPECT_EQ(hdd.read_seek_ns, 8 * ms);
  EXPECT_EQ(hdd.write_seek_ns, 4 * ms);
  EXPECT_EQ(hdd.streams, 1);
  for (const char* name : {"ssd", "nvm", "nfs"}) {
    const auto costs = parsed(std::string("device=") + name);
    EXPECT_EQ(costs.device, name);
    EXPECT_GT(costs.bytes_per_second, hdd.bytes_per_second);
    EXPECT_EQ(costs.read_seek_ns, 0);
    EXPECT_EQ(costs.streams, 8);
    EXPECT_EQ(costs.targets, 1);
  }
  const auto lustre = parsed("device=lustre:4");
  EXPECT_EQ(lustre.device, "lustre");
  EXPECT_EQ(lustre.targets, 4);
  EXPECT_EQ(lustre.stripe_bytes, mib);
  EXPECT_EQ(lustre.lock_ns, ms / 2);
  EXPECT_EQ(lustre.open_ns, 2 * ms);
}

TEST(ParseThrottle, OtherKeysOverrideThePresetWhereverTheyStand) {
  for (const char* text : {"device=hdd;seek=1;streams=3", "seek=1;streams=3;device=hdd"}) {
    const auto costs = parsed(text);
    EXPECT_EQ(costs.read_seek_ns, ms);
    EXPECT_EQ(costs.write_seek_ns, ms);
    EXPECT_EQ(costs.streams, 3);
    EXPECT_EQ(costs.bytes_per_second, 200'000'000);
  }
}

TEST(ParseThrottle, WhatIsWrongIsNamedWithWhatIsRight) {
  const std::pair<const char*, const char*> wrong[] = {
      {"speed=3", "bandwidth"},        {"request", "milliseconds"},
      {"request=", "milliseconds"},    {"request=fast", "such as 0.1"},
      {"bandwidth=0", "100M"},         {"open=-1", "milliseconds"},
      {"streams=-1", "from 0"},        {"streams=2.5", "number"},
      {"targets=0", "from 1"},         {"stripe=0", "1M"},
      {"device=tape", "hdd"},          {"device=lustre", "lustre:4"},
      {"device=lustre:0", "lustre:4"}, {"device=hdd:2", "hdd"},
      {"state=here", "root"},          {"targets=4", "streams="},
      {"opens=0.5", "number"},         {"revoke=-1", "milliseconds"},
      {"@/no/such/file", "@FILE"},
  };
  for (const auto& [text, remedy] : wrong) {
    EXPECT_THAT(complaint(text), HasSubstr(std::string("'") + text));
    EXPECT_THAT(complaint(text), HasSubstr(remedy));
  }
  EXPECT_THAT(complaint("device=hdd;device=ssd"), HasSubstr("one device only"));
  EXPECT_THAT(complaint("targets=1000;streams=100"), HasSubstr("fewer"));
  EXPECT_THAT(complaint("revoke=1"), HasSubstr("streams=N"));
}

class ThrottleFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() / ("concilio_throttle_" + std::to_string(getpid()));
  }
  void TearDown() override { std::filesystem::remove(path_); }
  std::string holding(const char* text) {
    std::ofstream(path_) << text;
    return "@" + path_;
  }
  std::string path_;
};

TEST_F(ThrottleFile, LinesOfBothForms) {
  const auto costs = parsed(holding("# of a disk\n\ndevice hdd\nseek = 6  # faster\nrequest\t0.5\nopen=1"));
  EXPECT_EQ(costs.device, "hdd");
  EXPECT_EQ(costs.read_seek_ns, 6 * ms);
  EXPECT_EQ(costs.request_ns, ms / 2);
  EXPECT_EQ(costs.open_ns, ms);
}

TEST_F(ThrottleFile, KeysBehindItOverride) {
  EXPECT_EQ(parsed(holding("device nvm\nstreams 2") + ";streams=4").streams, 4);
}

TEST_F(ThrottleFile, WrongLineIsNamedWithItsNumber) {
  EXPECT_THAT(complaint(holding("seek 8\n\nrequest soon\n")),
              testing::AllOf(HasSubstr("'request soon' in line 3"), HasSubstr(path_)));
}

TEST(ModelledLayout, SaysThatItIsModelled) {
  StorageLayout layout{Kind::memory, Medium::unknown, false, false, "tmpfs", 4096, 0, 0};
  model_layout(parsed("device=hdd"), layout);
  EXPECT_EQ(layout.kind, Kind::local);
  EXPECT_EQ(layout.medium, Medium::rotational);
  EXPECT_EQ(layout.name, "hdd, modelled");
  EXPECT_EQ(layout.block_bytes, 4096);
  EXPECT_EQ(layout.stripe_bytes, 0);
  model_layout(parsed("device=lustre:3;stripe=2M;revoke=0.5"), layout);
  EXPECT_EQ(layout.kind, Kind::parallel);
  EXPECT_EQ(layout.stripe_bytes, 2 * mib);
  EXPECT_EQ(layout.stripe_targets, 3);
  EXPECT_EQ(layout.revoke_ns, ms / 2);
  model_layout(parsed("device=nfs"), layout);
  EXPECT_EQ(layout.kind, Kind::network);
  EXPECT_EQ(layout.stripe_targets, 0);
  EXPECT_EQ(layout.revoke_ns, 0);
  EXPECT_EQ(layout.open_ns, 0);
  model_layout(parsed("device=nfs;opens=2000"), layout);
  EXPECT_EQ(layout.open_ns, ms / 2);
}

TEST(ModelledLayout, CostsAloneLeaveItAsItIs) {
  StorageLayout layout{Kind::memory, Medium::unknown, false, false, "tmpfs", 4096, 0, 0};
  model_layout(parsed("request=1;bandwidth=100M"), layout);
  EXPECT_EQ(layout.kind, Kind::memory);
  EXPECT_EQ(layout.name, "tmpfs");
}

TEST(TextOfThrottle, IsReadAsTheSameCosts) {
  for (const char* text : {"", "open=5;request=0.1;bandwidth=100M;lock=2", "device=hdd;seek_write=0.29",
                           "device=lustre:4", "device=nvm;streams=3;targets=2;stripe=64K;state=/tmp/s",
                           "seek=0.000001", "device=lustre:3;opens=2000;revoke=0.25"}) {
    const ThrottleCosts costs = parsed(text);
    EXPECT_EQ(parsed(text_of(costs)), costs) << text << ": " << text_of(costs);
  }
}

TEST(ThrottleIdentity, GoesByWhatAFileSaysNow) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("concilio-identity-" + std::to_string(getpid()))).string();
  const auto identity = [&](const char* costs) {
    std::ofstream(path) << costs;
    return throttle_identity("@" + path);
  };
  const std::string slow = identity("seek 8"), slower = identity("seek 9");
  EXPECT_NE(slow, slower);
  EXPECT_EQ(identity("seek = 8.0  # a comment"), slow);
  EXPECT_EQ(throttle_identity(slow), slow);
  std::filesystem::remove(path);
  EXPECT_EQ(throttle_identity("@" + path), "@" + path) << "a file that is not there";
  EXPECT_EQ(throttle_identity("seek=8"), "seek=8");
  EXPECT_TRUE(same_throttle(slow, "seek=8"));
  EXPECT_FALSE(same_throttle(slower, "seek=8"));
  EXPECT_FALSE(same_throttle("", "seek=8"));
  EXPECT_TRUE(same_throttle("", ""));
  EXPECT_FALSE(same_throttle("nonsense", "seek=8"));
}

}  // namespace
}  // namespace concilio::store::throttle_costs_test
