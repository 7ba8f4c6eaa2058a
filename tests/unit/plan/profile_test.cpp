#include "plan/facts/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/settings/profile_path.h"
#include "plan/facts/prices_json.h"

namespace concilio::plan::profile_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Profile sample() {
  Profile profile;
  profile.hosts = {"a", "b"};
  profile.mount = "/scratch";
  profile.file_system = "ext4";
  profile.throttle = "device=hdd";
  profile.made = "today";
  profile.prices = builtin_prices({});
  profile.prices.read.adjoining = {{64, 1e-6}, {4096, 2e-6}, {1 << 20, 3e-4}};
  profile.prices.requests_of_target = 5;
  profile.prices.node_bytes_per_second = 6e9;
  profile.parameters = {2, 3, 4, 5};
  return profile;
}

json as_json(const Profile& profile) {
  return json::parse(profile_as_text(profile, {{"raw", 1}}));
}

TEST(Profile, ReadsWhatItWrites) {
  const auto read = parse_profile(profile_as_text(sample(), {{"raw", 1}}));
  ASSERT_TRUE(read) << read.error().message;
  const Profile wanted = sample();
  EXPECT_EQ(read->hosts, wanted.hosts);
  EXPECT_EQ(read->mount, wanted.mount);
  EXPECT_EQ(read->file_system, wanted.file_system);
  EXPECT_EQ(read->throttle, wanted.throttle);
  EXPECT_EQ(read->made, wanted.made);
  EXPECT_EQ(prices_as_json(read->prices), prices_as_json(wanted.prices));
  EXPECT_EQ(read->prices.requests_of_target, 5);
  EXPECT_EQ(read->prices.node_bytes_per_second, 6e9);
  EXPECT_EQ(read->parameters.aggregators_per_node, 2);
  EXPECT_EQ(read->parameters.domain_bytes, 3);
  EXPECT_EQ(read->parameters.group_bytes, 4);
  EXPECT_EQ(read->parameters.memory_min_bytes, 5);
}

TEST(Profile, SaysWhatIsWrong) {
  const auto complaint = [](const std::string& text) {
    const auto read = parse_profile(text);
    return read ? std::string("nothing") : read.error().message;
  };
  EXPECT_THAT(complaint(""), HasSubstr("no JSON"));
  EXPECT_THAT(complaint(profile_as_text(sample(), {}).substr(0, 500)), HasSubstr("no JSON"));
  EXPECT_THAT(complaint("[1]"), HasSubstr("no profile"));
  const auto changed = [&](const std::function<void(json&)>& change) {
    json all = as_json(sample());
    change(all);
    return complaint(all.dump());
  };
  EXPECT_EQ(changed([](json&) {}), "nothing");
  EXPECT_THAT(changed([](json& all) { all["concilio_profile"] = 2; }), HasSubstr("version 2"));
  EXPECT_THAT(changed([](json& all) { all["concilio_profile"] = "x"; }), HasSubstr("version \"x\""));
  EXPECT_THAT(changed([](json& all) { all["hosts"] = json::array(); }), HasSubstr("hosts"));
  EXPECT_THAT(changed([](json& all) { all["hosts"][0] = 1; }), HasSubstr("host"));
  EXPECT_THAT(changed([](json& all) { all.erase("mount"); }), HasSubstr("mount"));
  EXPECT_THAT(changed([](json& all) { all["parameters"]["group_bytes"] = -1; }), HasSubstr("group_bytes"));
  EXPECT_THAT(changed([](json& all) { all["prices"].erase("copy"); }), HasSubstr("copy"));
  EXPECT_THAT(changed([](json& all) { all["prices"]["lock_seconds"] = "x"; }), HasSubstr("lock_seconds"));
  EXPECT_THAT(changed([](json& all) { all["prices"]["lock_seconds"] = -1; }), HasSubstr("lock_seconds"));
  EXPECT_THAT(changed([](json& all) { all["prices"]["network_bytes_per_second"] = 0; }),
              HasSubstr("positive"));
  EXPECT_THAT(changed([](json& all) { all["prices"]["read_at_once_served"] = 0; }), HasSubstr("served"));
  EXPECT_THAT(changed([](json& all) { all["prices"]["requests_of_target"] = 0.5; }),
              HasSubstr("requests_of_target"));
  EXPECT_EQ(changed([](json& all) { all["prices"].erase("requests_of_target"); }), "nothing");
  EXPECT_THAT(changed([](json& all) { all["prices"]["copy"] = json::array(); }), HasSubstr("copy"));
  EXPECT_THAT(changed([](json& all) { all["prices"]["copy"] = {{2, 1}, {1, 2}}; }), HasSubstr("growing"));
  EXPECT_THAT(changed([](json& all) { all["prices"]["copy"] = {{1, 1, 1}}; }), HasSubstr("[x, y]"));
}

TEST(ProfilePath, NamesHostMountAndThrottle) {
  EXPECT_EQ(profile_path("/c", "node1", "/", ""), "/c/concilio/profiles/node1/%2F.json");
  EXPECT_EQ(profile_path("/c", "node1", "/mnt/a b", "device=hdd;open=1"),
            "/c/concilio/profiles/node1/%2Fmnt%2Fa%20b@device=hdd%3Bopen=1.json");
  const std::string long_mount = "/" + std::string(300, 'x');
  EXPECT_LT(profile_path("", "h", long_mount, long_mount + "1").size(), 300);
  EXPECT_NE(profile_path("", "h", long_mount, ""), profile_path("", "h", long_mount + "y", ""));
}

TEST(Curve, IsPiecewiseLinear) {
  const Curve curve = {{10, 1}, {20, 3}, {40, 4}};
  EXPECT_DOUBLE_EQ(curve.at(0), 1);
  EXPECT_DOUBLE_EQ(curve.at(10), 1);
  EXPECT_DOUBLE_EQ(curve.at(15), 2);
  EXPECT_DOUBLE_EQ(curve.at(30), 3.5);
  EXPECT_DOUBLE_EQ(curve.at(80), 6) << "the last piece goes on";
  EXPECT_DOUBLE_EQ(Curve::line(1e-3, 1e6).at(1e6), 1.001);
  EXPECT_DOUBLE_EQ(Curve::up_to(4).at(3), 3);
  EXPECT_DOUBLE_EQ(Curve::up_to(4).at(100), 4);
  EXPECT_DOUBLE_EQ(Curve::up_to(1).at(100), 1);
  EXPECT_DOUBLE_EQ(Curve().at(5), 0);
  Curve falling = {{0, 5}, {1, 4}};
  EXPECT_DOUBLE_EQ(falling.at(100), 0) << "never below nothing";
}

TEST(Curve, ValidOnesGrowAndAreFinite) {
  EXPECT_TRUE((Curve{{0, 0}, {1, 1}}).valid());
  EXPECT_FALSE(Curve().valid());
  EXPECT_FALSE((Curve{{1, 1}, {1, 2}}).valid());
  EXPECT_FALSE((Curve{{-1, 1}, {1, 2}}).valid());
  EXPECT_FALSE((Curve{{0, -1}, {1, 2}}).valid());
  EXPECT_FALSE((Curve{{0, 1}, {1, std::numeric_limits<double>::infinity()}}).valid());
}

TEST(BuiltinPrices, AreValidForEveryKindOfStorage) {
  for (auto kind : {StorageFacts::Kind::local, StorageFacts::Kind::memory, StorageFacts::Kind::network,
                    StorageFacts::Kind::parallel, StorageFacts::Kind::unknown}) {
    for (const int64_t targets : {0, 1, 5, 1000}) {
      const json written = prices_as_json(builtin_prices({kind, 4096, 1 << 20, targets}));
      const auto read = read_json([&] { return read_prices(JsonPlace(written, "prices")); });
      EXPECT_TRUE(read) << read.error().message;
    }
  }
}

}  // namespace
}  // namespace concilio::plan::profile_test
