// The size of I/O groups that the library chooses.
#include "scorpio/ranks/group_size.h"

#include <gtest/gtest.h>

namespace concilio::scorpio::group_size_test {
namespace {

constexpr int64_t mib = int64_t{1} << 20, gib = int64_t{1} << 30;

TEST(GroupSize, LittleDataHasOneRootForAllRanksOfSmallJobs) {
  EXPECT_EQ(chosen_group_size(true, 8, 8, mib), 8);
  EXPECT_EQ(chosen_group_size(false, 8, 8, mib), 8);
  EXPECT_EQ(chosen_group_size(true, 1, 1, 0), 1);
}

TEST(GroupSize, MuchDataHasARootForEachPartOfIt) {
  EXPECT_EQ(chosen_group_size(true, 1024, 64, 4 * gib), 64);
  EXPECT_EQ(chosen_group_size(true, 1024, 64, gib), 256);
  EXPECT_EQ(chosen_group_size(false, 8, 8, 512 * mib), 4);
}

TEST(GroupSize, NoMoreThanFourRootsANode) {
  EXPECT_EQ(chosen_group_size(true, 64, 64, 1000 * gib), 16);
  EXPECT_EQ(chosen_group_size(true, 128, 32, 1000 * gib), 8);
}

TEST(GroupSize, AtMostThePapersSizes) {
  EXPECT_EQ(chosen_group_size(true, 100000, 64, mib), 1024);
  EXPECT_EQ(chosen_group_size(false, 100000, 16, mib), 16);
}

TEST(GroupSize, UnknownBytesGiveARootANode) {
  EXPECT_EQ(chosen_group_size(true, 96, 32, 0), 32);
  EXPECT_EQ(chosen_group_size(false, 24, 12, 0), 12);
}

TEST(GroupSize, AboveANodeItIsWholeNodesAndBelowEqualPartsOfOne) {
  for (const int per_node : {1, 2, 3, 4, 6, 12, 24, 48, 64, 128}) {
    for (const int nodes : {1, 2, 3, 10, 500}) {
      for (int64_t bytes = 1; bytes < 4096 * gib; bytes *= 7) {
        for (const bool reads : {false, true}) {
          const int size = chosen_group_size(reads, per_node * nodes, per_node, bytes);
          ASSERT_GE(size, 1);
          ASSERT_LE(size, reads ? 1024 : 16);
          if (size > per_node) {
            ASSERT_EQ(size % per_node, 0)
                << per_node << " a node, " << nodes << " nodes, " << bytes << " bytes";
          } else {
            const int parts = (per_node + size - 1) / size;
            ASSERT_EQ(size, (per_node + parts - 1) / parts) << "a smaller group would do";
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace concilio::scorpio::group_size_test
