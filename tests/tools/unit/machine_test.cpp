#include "simulation/machine.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "simulation/machine_prices.h"

namespace concilio::tools {
namespace {

using ::testing::HasSubstr;

nlohmann::json a_machine() {
  return nlohmann::json::parse(R"({
    "concilio_machine": 1,
    "nodes": {"count": 4, "cores": 2, "free_memory_gib": [1, 0.5], "copy_gb_per_second": 10, "core_copy_gb_per_second": 5},
    "network": {"gb_per_second": 12.5, "latency_us": 2},
    "storage": {"device": "lustre", "targets": 4, "target_gb_per_second": 0.1, "open_ms": 3, "stripe_mib": 2,
                "gb_per_second": 0.3, "node_gb_per_second": 0.2}
  })");
}

TEST(Machine, IsWhatItsFileSays) {
  const auto machine = parse_machine(a_machine().dump());
  ASSERT_TRUE(machine) << machine.error().message;
  EXPECT_EQ(machine->nodes, 4);
  EXPECT_EQ(machine->cores, 2);
  EXPECT_EQ(machine->free_memory_bytes, (std::vector<int64_t>{1 << 30, 1 << 29}));
  EXPECT_DOUBLE_EQ(machine->copy_rate, 10e9);
  EXPECT_DOUBLE_EQ(machine->core_copy_rate, 5e9);
  EXPECT_DOUBLE_EQ(machine->network_rate, 12.5e9);
  EXPECT_DOUBLE_EQ(machine->network_latency_s, 2e-6);
  EXPECT_DOUBLE_EQ(machine->storage_rate, 0.3e9);
  EXPECT_DOUBLE_EQ(machine->storage_link_rate, 0.2e9);
  EXPECT_DOUBLE_EQ(machine->rate_to_storage(), 0.2e9);
  EXPECT_EQ(machine->throttle, "device=lustre:4;targets=4;bandwidth=100000000;open=3;stripe=2097152");
}

TEST(Machine, HasAMetadataServerAndLocksOfStripes) {
  nlohmann::json document = a_machine();
  document["storage"] =
      nlohmann::json::parse(R"({"device": "ssd", "opens_per_second": 2500, "revoke_ms": 0.5})");
  const auto machine = parse_machine(document.dump());
  ASSERT_TRUE(machine) << machine.error().message;
  EXPECT_EQ(machine->throttle, "device=ssd;targets=1;opens=2500;revoke=0.5");
  EXPECT_DOUBLE_EQ(machine->rate_to_storage(), machine->network_rate);
}

TEST(MachinePrices, AreThoseOfItsTargets) {
  nlohmann::json document = a_machine();
  document["storage"].erase("node_gb_per_second");
  const auto machine = parse_machine(document.dump());
  ASSERT_TRUE(machine) << machine.error().message;
  const auto costs = store::parse_throttle(machine->throttle);
  ASSERT_TRUE(costs) << costs.error().message;
  const plan::Prices prices = machine_prices(*machine, *costs);
  EXPECT_DOUBLE_EQ(prices.window_bytes_per_second, 0.1e9);
  EXPECT_NEAR(prices.write.window.at(1e6) - prices.write.window.at(0), 0.01, 1e-9);
  // Each of the 4 targets serves its streams' requests at the same time, but bytes one after another.
  EXPECT_DOUBLE_EQ(prices.write.clients_small.at(1000), 4.0 * static_cast<double>(costs->streams));
  EXPECT_DOUBLE_EQ(prices.write.clients_large.at(1000), 4);
}

// Every message names the place.
TEST(Machine, SaysWhatIsWrongAndWhere) {
  struct Case {
    const char *place, *value, *said;
  };
  const Case cases[] = {
      {"/concilio_machine", "2", "concilio_machine is not 1"},
      {"/nodes/cores", "0", "nodes.cores is 0; it is at least 1"},
      {"/nodes/cores", "2.5", "nodes.cores is 2.5, and not a whole number"},
      {"/nodes/free_memory_gib/1", "-1", "nodes.free_memory_gib[1] is -1; it is above 0"},
      {"/nodes/free_memory_gib", "[]", "nodes.free_memory_gib is empty"},
      {"/nodes/free_memory", "2",
       "nodes has a \"free_memory\", which is not known; did you mean free_memory_gib?"},
      {"/network/gb_per_second", "0", "network.gb_per_second is 0; it is above 0"},
      {"/network", "null", "it has no \"network\""},
      {"/storage/device", "\"tape\"", "storage cannot be modelled: 'device=tape'"},
      {"/storage/targets", "1001", "storage cannot be modelled: 'device=lustre:1001'"},
      {"/storage/node_gb_per_second", "0", "storage.node_gb_per_second is 0; it is above 0"},
      {"/storage/opens_per_second", "-1", "storage.opens_per_second is -1"},
      {"/storage/open_ms", "\"2\"", "storage.open_ms is \"2\", and not a number"},
  };
  for (const Case& one : cases) {
    nlohmann::json document = a_machine();
    document[nlohmann::json::json_pointer(one.place)] = nlohmann::json::parse(one.value);
    const auto machine = parse_machine(document.dump());
    ASSERT_FALSE(machine) << one.place << " " << one.value;
    EXPECT_THAT(machine.error().message, HasSubstr(one.said));
  }
  EXPECT_FALSE(parse_machine("{\"concilio_machine\": 1"));
  EXPECT_FALSE(parse_machine("[]"));
}

}  // namespace
}  // namespace concilio::tools
