#include "plan/layout/partition_tree.h"

#include <gtest/gtest.h>

#include <random>

namespace concilio::plan::partition_tree_test {
namespace {

constexpr int64_t KiB = 1 << 10;

// The tree as a text such as "[[0 1] 2]": a leaf is the first of its bytes, and an inner vertex is a pair of
// brackets.
std::string shape(const PartitionTree& tree, int vertex) {
  const PartitionTree::Vertex& here = tree.vertex(vertex);
  if (here.is_leaf()) {
    std::string name = std::to_string(here.file.begin);
    return here.file.length() == 1 ? name : name + "-" + std::to_string(here.file.end);
  }
  return "[" + shape(tree, here.left) + " " + shape(tree, here.right) + "]";
}
std::string shape(const PartitionTree& tree) {
  return shape(tree, tree.root());
}

PartitionTree with_leaves(int64_t count) {
  std::vector<int64_t> borders;
  for (int64_t i = 0; i <= count; ++i) borders.push_back(i);
  return PartitionTree(borders);
}

int leaf_at(const PartitionTree& tree, int64_t begin) {
  for (const int leaf : tree.leaves()) {
    if (tree.vertex(leaf).file.begin == begin) return leaf;
  }
  ADD_FAILURE() << "no leaf begins at " << begin;
  return tree.root();
}

TEST(PartitionTree, IsBisectedEvenly) {
  const char* shapes[] = {"0",
                          "[0 1]",
                          "[[0 1] 2]",
                          "[[0 1] [2 3]]",
                          "[[[0 1] 2] [3 4]]",
                          "[[[0 1] 2] [[3 4] 5]]",
                          "[[[0 1] [2 3]] [[4 5] 6]]"};
  for (int64_t leaves = 1; leaves <= 7; ++leaves) {
    const PartitionTree tree = with_leaves(leaves);
    EXPECT_EQ(shape(tree), shapes[leaves - 1]);
    EXPECT_EQ(tree.leaves().size(), static_cast<size_t>(leaves));
  }
}

TEST(PartitionTree, VertexHoldsThePortionsOfItsBranches) {
  const PartitionTree tree({0, 10, 25, 70});
  const auto& root = tree.vertex(tree.root());
  EXPECT_EQ(root.file, (pattern::Interval{0, 70}));
  EXPECT_EQ(tree.vertex(root.left).file, (pattern::Interval{0, 25}));
  EXPECT_EQ(tree.vertex(root.right).file, (pattern::Interval{25, 70}));
  EXPECT_EQ(tree.vertex(root.left).parent, tree.root());
}

struct TakeOver {
  const char* situation;
  int64_t leaves;
  int64_t leaving;         // the begin of its portion
  pattern::Interval heir;  // the portion of the heir afterwards
  const char* after;
};

void check(const std::vector<TakeOver>& table) {
  for (const TakeOver& row : table) {
    PartitionTree tree = with_leaves(row.leaves);
    const int heir = tree.take_over(leaf_at(tree, row.leaving));
    EXPECT_EQ(tree.vertex(heir).file, row.heir) << row.situation;
    EXPECT_TRUE(tree.vertex(heir).is_leaf()) << row.situation;
    EXPECT_EQ(shape(tree), row.after) << row.situation;
  }
}

// Figure 5a of the paper: the sibling is a leaf, and takes the place of their parent.
TEST(Remerging, SiblingThatIsALeafTakesOver) {
  check({
      {"the only two, left leaves", 2, 0, {0, 2}, "0-2"},
      {"the only two, right leaves", 2, 1, {0, 2}, "0-2"},
      {"left of a left pair", 4, 0, {0, 2}, "[0-2 [2 3]]"},
      {"right of a left pair", 4, 1, {0, 2}, "[0-2 [2 3]]"},
      {"left of a right pair", 4, 2, {2, 4}, "[[0 1] 2-4]"},
      {"right of a right pair", 4, 3, {2, 4}, "[[0 1] 2-4]"},
      {"deep in the tree", 7, 3, {2, 4}, "[[[0 1] 2-4] [[4 5] 6]]"},
  });
}

// Figure 5b of the paper: the sibling was split, and the nearest leaf of its branch takes over.
TEST(Remerging, OfASplitSiblingTheLeafThatBordersTakesOver) {
  check({
      // The leaf on the right leaves: its heir is the rightmost leaf of the left branch.
      {"right, sibling split once", 3, 2, {1, 3}, "[0 1-3]"},
      {"right, within a branch", 5, 2, {1, 3}, "[[0 1-3] [3 4]]"},
      {"right, sibling split twice", 7, 6, {5, 7}, "[[[0 1] [2 3]] [4 5-7]]"},
  });
  // The leaf on the left leaves: its heir is the leftmost leaf of the right branch. Bisection makes the left
  // branch the larger one, so that leaves must be merged first.
  PartitionTree tree = with_leaves(4);
  tree.take_over(leaf_at(tree, 1));
  ASSERT_EQ(shape(tree), "[0-2 [2 3]]");
  const int heir = tree.take_over(leaf_at(tree, 0));
  EXPECT_EQ(tree.vertex(heir).file, (pattern::Interval{0, 3}));
  EXPECT_EQ(shape(tree), "[0-3 3]");

  PartitionTree deep = with_leaves(8);
  for (const int64_t leaving : {1, 3, 2, 0}) deep.take_over(leaf_at(deep, leaving));
  EXPECT_EQ(shape(deep), "[[0-5 5] [6 7]]");
}

TEST(Remerging, PathFromTheSiblingDownHoldsThePortionToo) {
  PartitionTree tree = with_leaves(7);
  tree.take_over(leaf_at(tree, 6));
  const auto& root = tree.vertex(tree.root());
  EXPECT_EQ(tree.vertex(root.right).file, (pattern::Interval{4, 7}));
  EXPECT_EQ(tree.vertex(root.right).parent, tree.root());
}

TEST(Remerging, HeirKeepsItsAggregator) {
  PartitionTree tree = with_leaves(3);
  tree.vertex(leaf_at(tree, 1)).aggregator = 17;
  const int heir = tree.take_over(leaf_at(tree, 2));
  EXPECT_EQ(tree.vertex(heir).aggregator, 17);
}

void expect_consistent(const PartitionTree& tree, int vertex, int parent) {
  const auto& here = tree.vertex(vertex);
  ASSERT_EQ(here.parent, parent);
  if (here.is_leaf()) return;
  const auto &left = tree.vertex(here.left), &right = tree.vertex(here.right);
  ASSERT_EQ(left.file.begin, here.file.begin);
  ASSERT_EQ(left.file.end, right.file.begin);
  ASSERT_EQ(right.file.end, here.file.end);
  expect_consistent(tree, here.left, vertex);
  expect_consistent(tree, here.right, vertex);
}

TEST(Remerging, LeavesStayAPartitionInAnyOrderOfLeaving) {
  std::mt19937_64 random(31);
  for (int i = 0; i < 2000; ++i) {
    std::vector<int64_t> borders{static_cast<int64_t>(random() % 100)};
    for (uint64_t n = 1 + random() % 20; n > 0; --n)
      borders.push_back(borders.back() + 1 + static_cast<int64_t>(random() % 100));
    PartitionTree tree(borders);
    for (std::vector<int> leaves = tree.leaves(); leaves.size() > 1;) {
      const int leaving = leaves[random() % leaves.size()];
      const pattern::Interval portion = tree.vertex(leaving).file;
      const int heir = tree.take_over(leaving);
      const std::vector<int> left = tree.leaves();
      ASSERT_EQ(left.size(), leaves.size() - 1) << i;
      ASSERT_NE(std::find(left.begin(), left.end(), heir), left.end()) << i;
      // The heir had the neighbouring portion, and now has both.
      const pattern::Interval now = tree.vertex(heir).file;
      ASSERT_TRUE(now.begin == portion.begin || now.end == portion.end) << i;
      ASSERT_GT(now.length(), portion.length()) << i;
      int64_t at = borders.front();
      for (const int leaf : left) {
        ASSERT_EQ(tree.vertex(leaf).file.begin, at) << i;
        ASSERT_FALSE(tree.vertex(leaf).file.empty()) << i;
        at = tree.vertex(leaf).file.end;
      }
      ASSERT_EQ(at, borders.back()) << i;
      expect_consistent(tree, tree.root(), PartitionTree::none);
      leaves = left;
    }
  }
}

TEST(PartitionTree, IsDrawnWithOneLineAVertex) {
  PartitionTree tree({0, KiB, 2 * KiB, 3 * KiB, 4 * KiB, 5 * KiB});
  tree.vertex(leaf_at(tree, 0)).aggregator = 4;
  tree.vertex(leaf_at(tree, 0)).node = 2;
  EXPECT_EQ(tree.text(),
            "0-5120 (5 KiB)\n"
            "|- 0-3072 (3 KiB)\n"
            "|  |- 0-2048 (2 KiB)\n"
            "|  |  |- 0-1024 (1 KiB): rank 4 on node 2\n"
            "|  |  `- 1024-2048 (1 KiB)\n"
            "|  `- 2048-3072 (1 KiB)\n"
            "`- 3072-5120 (2 KiB)\n"
            "   |- 3072-4096 (1 KiB)\n"
            "   `- 4096-5120 (1 KiB)\n");
  for (const int64_t leaving : {KiB, 2 * KiB, 4 * KiB}) tree.take_over(leaf_at(tree, leaving));
  EXPECT_EQ(tree.text(),
            "0-5120 (5 KiB)\n"
            "|- 0-3072 (3 KiB): rank 4 on node 2\n"
            "`- 3072-5120 (2 KiB)\n");
}

}  // namespace
}  // namespace concilio::plan::partition_tree_test
