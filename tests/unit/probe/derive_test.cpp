// Derives prices and parameters from tables of measurements.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "probe/derive/derive.h"
#include "probe/show/measurements_json.h"

namespace concilio::probe::derive_test {
namespace {

using ::testing::DoubleNear;
using Q = Quantity;

plan::Prices builtin() {
  return plan::builtin_prices({.kind = plan::StorageFacts::Kind::local});
}

Series line(double latency_seconds, double bytes_per_second) {
  Series series;
  for (const int64_t bytes : request_sizes) {
    const auto x = static_cast<double>(bytes);
    series.push_back({x, latency_seconds + x / bytes_per_second});
  }
  return series;
}

TEST(DerivedPrices, NothingMeasuredIsWhatIsBuiltIn) {
  const plan::Prices prices = derived_prices({}, builtin());
  EXPECT_EQ(prices.read.adjoining.at(1e6), builtin().read.adjoining.at(1e6));
  EXPECT_EQ(prices.window_bytes_per_second, builtin().window_bytes_per_second);
  EXPECT_EQ(prices.map_read_page_seconds, builtin().map_read_page_seconds);
  EXPECT_EQ(prices.from_memory, builtin().from_memory);
  EXPECT_EQ(prices.message.at(1e6), builtin().message.at(1e6));
}

TEST(DerivedPrices, RequestsGoThroughTheSamplesAndOnBeyond) {
  Measurements found;
  found[Q::read_adjoining] = line(1e-3, 100e6);
  const plan::Curve curve = derived_prices(found, builtin()).read.adjoining;
  EXPECT_TRUE(curve.valid());
  EXPECT_DOUBLE_EQ(curve.at(4096), 1e-3 + 4096 / 100e6);
  // Bytes beyond the last sample cost as much as those at it.
  EXPECT_NEAR(curve.at(64 << 20), (64 << 20) / 100e6, 0.03);
}

TEST(DerivedPrices, SmallRequestThatSeemedDearerThanALargerOne) {
  Measurements found;
  found[Q::write_scattered] = {{64, 5e-6}, {4096, 3e-6}, {65536, 20e-6}};
  const plan::Curve curve = derived_prices(found, builtin()).write.scattered;
  EXPECT_DOUBLE_EQ(curve.at(4096), 5e-6);
  EXPECT_DOUBLE_EQ(curve.at(65536), 20e-6);
}

TEST(DerivedPrices, ElevenPiecesOfACopyFit) {
  Measurements found;
  for (int i = 0; i < 11; ++i) found[Q::copy].push_back({8.0 * (1 << i), 1e-9 * (1 << i)});
  const plan::Curve curve = derived_prices(found, builtin()).copy;
  EXPECT_TRUE(curve.valid());
  EXPECT_DOUBLE_EQ(curve.at(8 * 1024), 1024e-9);
}

TEST(DerivedPrices, ClientsAreMultiplesOfOneAndLevelOff) {
  Measurements found;
  found[Q::read_clients_large] = {{1, 100e6}, {2, 210e6}, {4, 300e6}};
  const plan::Curve curve = derived_prices(found, builtin()).read.clients_large;
  EXPECT_DOUBLE_EQ(curve.at(1), 1);
  EXPECT_DOUBLE_EQ(curve.at(2), 2);  // two are no better than two
  EXPECT_DOUBLE_EQ(curve.at(4), 3);
  EXPECT_DOUBLE_EQ(curve.at(64), 3);
}

TEST(DerivedPrices, ClientsThatHinderEachOther) {
  Measurements found;
  found[Q::write_clients_small] = {{1, 100e6}, {2, 80e6}, {4, 50e6}};
  const plan::Curve curve = derived_prices(found, builtin()).write.clients_small;
  EXPECT_DOUBLE_EQ(curve.at(4), 0.5);
  EXPECT_DOUBLE_EQ(curve.at(8), 0.5);
}

TEST(DerivedPrices, OneRankSaysNothingOfMany) {
  Measurements found;
  found[Q::read_clients_large] = {{1, 100e6}};
  EXPECT_EQ(derived_prices(found, builtin()).read.clients_large.at(8), builtin().read.clients_large.at(8));
}

TEST(DerivedPrices, RequestsAtOnceThatStorageServesEightAtATime) {
  Measurements found;
  for (const double depth : {1, 2, 4, 8, 16, 32, 64}) {
    found[Q::read_list].push_back({depth, 1e-3});
    found[Q::read_at_once].push_back({depth, 1e-3 / std::min(depth, 8.0) + 2e-6});
  }
  const plan::AtOnce at_once = derived_prices(found, builtin()).read.at_once;
  EXPECT_DOUBLE_EQ(at_once.served, 8);
  EXPECT_NEAR(at_once.submit_seconds, 2e-6, 1e-9);
}

TEST(DerivedPrices, RequestsAtOnceThatCostMoreThanInTurn) {
  Measurements found;
  for (const double depth : {1, 2, 4, 8, 16, 32, 64}) {
    found[Q::write_list].push_back({depth, 3e-6});
    found[Q::write_at_once].push_back({depth, 10e-6});
  }
  const plan::AtOnce at_once = derived_prices(found, builtin()).write.at_once;
  EXPECT_DOUBLE_EQ(at_once.served, 1);
  EXPECT_NEAR(at_once.submit_seconds, 7e-6, 1e-9);
}

TEST(DerivedPrices, AWindowThatHasJustBeenThereCostsWhatItIsToRewriteIt) {
  Measurements found;
  found[Q::rewriting] = {{1, 20e-9}};
  EXPECT_NEAR(derived_prices(found, builtin()).window_bytes_per_second, 50e6, 1);
}

TEST(DerivedPrices, APieceOfAWindowWithoutItsBytes) {
  Measurements found;
  found[Q::rewriting] = {{1, 1e-9}};
  found[Q::write_window_piece] = {{4096, 6e-6}};
  EXPECT_NEAR(derived_prices(found, builtin()).window_piece_seconds, 6e-6 - 4096e-9, 1e-12);
  // Bytes that seem to cost more than the whole.
  found[Q::write_window_piece] = {{4096, 3e-6}};
  EXPECT_GT(derived_prices(found, builtin()).window_piece_seconds, 0);
}

TEST(DerivedPrices, StorageThatAnswersFromMemory) {
  Measurements found;
  found[Q::read_scattered] = found[Q::write_scattered] = line(2e-6, 5e9);
  EXPECT_TRUE(derived_prices(found, builtin()).from_memory);
  found.throttled = true;
  EXPECT_FALSE(derived_prices(found, builtin()).from_memory);
  found.throttled = false;
  found[Q::write_scattered] = line(200e-6, 5e9);
  EXPECT_FALSE(derived_prices(found, builtin()).from_memory);
}

TEST(DerivedPrices, RanksWithAndWithoutACoreOfTheirOwn) {
  Measurements found;
  found.cores_per_node = 2;
  found[Q::synchronise] = {{2, 4e-6}, {4, 40e-6}, {8, 80e-6}};
  const plan::Prices prices = derived_prices(found, builtin());
  EXPECT_DOUBLE_EQ(prices.synchronise_seconds, 2e-6);
  EXPECT_DOUBLE_EQ(prices.oversubscribed_seconds, 20e-6);
}

TEST(DerivedPrices, PagesPopulatedOrTouched) {
  Measurements found;
  found[Q::map_read_page] = {{1, 0.5e-6}};
  found[Q::map_populate_read_page] = {{1, 0.1e-6}};
  found[Q::map_write_page] = {{1, 0.7e-6}};
  const plan::Prices prices = derived_prices(found, builtin());
  EXPECT_DOUBLE_EQ(prices.map_read_page_seconds, 0.1e-6);
  EXPECT_DOUBLE_EQ(prices.map_write_page_seconds, 0.7e-6);
}

TEST(DerivedParameters, NothingMeasured) {
  const plan::Parameters parameters = derived_parameters({});
  EXPECT_EQ(parameters.aggregators_per_node, 0);
  EXPECT_EQ(parameters.domain_bytes, 0);
  EXPECT_EQ(parameters.group_bytes, 0);
  EXPECT_EQ(parameters.memory_min_bytes, 0);
}

TEST(DerivedParameters, AggregatorsUntilMoreBringLessThanATenth) {
  Measurements found;
  found[Q::read_node_clients] = {{1, 100}, {2, 190}, {4, 205}, {8, 400}};
  found[Q::write_node_clients] = {{1, 100}, {2, 101}, {4, 101}, {8, 101}};
  EXPECT_EQ(derived_parameters(found).aggregators_per_node, 2);
}

TEST(DerivedParameters, AggregatorsThatAllBringMoreAreNotKnown) {
  Measurements found;
  found[Q::read_node_clients] = found[Q::write_node_clients] = {{1, 100}, {2, 200}, {4, 400}};
  EXPECT_EQ(derived_parameters(found).aggregators_per_node, 0);
  found[Q::read_node_clients] = {{1, 100}, {2, 105}, {4, 105}};
  EXPECT_EQ(derived_parameters(found).aggregators_per_node, 0);
}

TEST(DerivedParameters, AggregatorsOfASingleRankAreNotKnown) {
  Measurements found;
  found[Q::read_node_clients] = found[Q::write_node_clients] = {{1, 100}};
  EXPECT_EQ(derived_parameters(found).aggregators_per_node, 0);
}

TEST(DerivedParameters, SizeThatReachesNineTenths) {
  Measurements found;
  found[Q::read_adjoining] = line(1e-6, 1e9);     // 90 % of the last at 16 KiB
  found[Q::write_adjoining] = line(1e-3, 100e6);  // at 1 MiB
  EXPECT_EQ(derived_parameters(found).domain_bytes, 1 << 20);
}

TEST(DerivedParameters, GroupAndMemory) {
  Measurements found;
  found[Q::read_group] = {{1 << 20, 500}, {4 << 20, 950}, {16 << 20, 1000}};
  found[Q::write_group] = {{1 << 20, 990}, {4 << 20, 1000}, {16 << 20, 900}};
  found[Q::read_window] = {{64 << 10, 100e-6}, {256 << 10, 200e-6}, {1 << 20, 800e-6}};
  found[Q::write_window] = {{64 << 10, 10e-6}, {256 << 10, 40e-6}, {1 << 20, 160e-6}};
  const plan::Parameters parameters = derived_parameters(found);
  EXPECT_EQ(parameters.group_bytes, 4 << 20);
  EXPECT_EQ(parameters.memory_min_bytes, 2 * (256 << 10));
}

TEST(MeasurementsJson, ThereAndBack) {
  Measurements found;
  found.ranks = 8;
  found.nodes = 2;
  found.throttled = true;
  for (const Quantity quantity : all_quantities()) found[quantity] = {{1, 0.5}, {2, 0.25}};
  const auto back = measurements_of(json_of(found));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->ranks, 8);
  EXPECT_EQ(back->nodes, 2);
  EXPECT_TRUE(back->throttled);
  for (const Quantity quantity : all_quantities()) {
    ASSERT_EQ((*back)[quantity].size(), 2u);
    EXPECT_EQ((*back)[quantity][1].y, 0.25);
  }
}

TEST(MeasurementsJson, Damaged) {
  auto json = json_of({});
  json.erase("ranks");
  EXPECT_FALSE(measurements_of(json).ok());
  json = json_of({});
  json["series"]["copy"] = {{"points", {{8, 1e-9}, {4, 1e-9}}}};
  EXPECT_FALSE(measurements_of(json).ok());
  EXPECT_FALSE(measurements_of("text").ok());
}

}  // namespace
}  // namespace concilio::probe::derive_test
