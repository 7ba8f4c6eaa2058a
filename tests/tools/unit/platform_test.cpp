#include "simulation/platform.h"

#include <gmock/gmock.h>

namespace concilio::tools {
namespace {

using ::testing::HasSubstr;

DescribedMachine machine_of(int64_t nodes, int64_t cores) {
  DescribedMachine machine;
  machine.nodes = nodes;
  machine.cores = cores;
  return machine;
}

TEST(PlaceRanks, FillsNodesUnlessToldOtherwise) {
  const DescribedMachine machine = machine_of(8, 4);
  const auto nodes = [&](RanksWanted wanted) {
    const auto placed = place_ranks(wanted, machine);
    return placed ? std::pair{placed->ranks, placed->nodes} : std::pair{int64_t{0}, int64_t{0}};
  };
  EXPECT_EQ(nodes({.ranks = 9}), (std::pair<int64_t, int64_t>{9, 3}));
  EXPECT_EQ(nodes({.ranks = 8, .nodes = 8}), (std::pair<int64_t, int64_t>{8, 8}));
  EXPECT_EQ(nodes({.ranks = 8, .ranks_per_node = 2}), (std::pair<int64_t, int64_t>{8, 4}));
  EXPECT_EQ(nodes({.nodes = 2}), (std::pair<int64_t, int64_t>{8, 2}));
  EXPECT_EQ(nodes({.nodes = 2, .ranks_per_node = 3}), (std::pair<int64_t, int64_t>{6, 2}));
}

TEST(PlaceRanks, RefusesWhatTheMachineLacks) {
  const DescribedMachine machine = machine_of(8, 4);
  const auto said = [&](RanksWanted wanted) {
    const auto placed = place_ranks(wanted, machine);
    return placed ? "" : placed.error().message;
  };
  EXPECT_THAT(said({}), HasSubstr("-n"));
  EXPECT_THAT(said({.ranks = 33}), HasSubstr("the machine has 8 nodes of 4 cores"));
  EXPECT_THAT(said({.ranks = 9, .nodes = 2}), HasSubstr("5 on a node, which has 4 cores"));
  EXPECT_THAT(said({.ranks = 9, .nodes = 10}), HasSubstr("8 nodes"));
  EXPECT_THAT(said({.ranks = 2, .nodes = 3}), HasSubstr("only 2 ranks"));
  EXPECT_THAT(said({.ranks = 8, .nodes = 2, .ranks_per_node = 3}), HasSubstr("more than 3 a node"));
  const auto many = place_ranks({.nodes = int64_t{1} << 31}, machine_of(int64_t{1} << 31, 1));
  ASSERT_FALSE(many);
  EXPECT_THAT(many.error().message, HasSubstr("MPI has at most 2147483647"));
}

TEST(HostFile, DividesRanksEvenlyInOrder) {
  EXPECT_EQ(host_file_of({.ranks = 5, .nodes = 3}), "node0\nnode1\nnode1\nnode2\nnode2\n");
}

}  // namespace
}  // namespace concilio::tools
