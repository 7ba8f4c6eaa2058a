#include "plan/facts/openers.h"

#include <gtest/gtest.h>

namespace concilio::plan::openers_test {
namespace {

StorageFacts with_open(int64_t open_ns) {
  StorageFacts storage;
  storage.open_ns = open_ns;
  return storage;
}

TEST(Openers, AreAFewWhereOpensCostNothing) {
  for (const int64_t nodes : {1, 100}) {
    EXPECT_EQ(openers(with_open(0), nodes, 1), 1);
    EXPECT_EQ(openers(with_open(0), nodes, 3), 3);
    EXPECT_EQ(openers(with_open(0), nodes, 64), 4);
  }
}

TEST(Openers, AreTheFirstOfNodesAloneWhereAServerIsSlow) {
  for (const int64_t ranks : {1, 2, 3, 64}) {
    EXPECT_EQ(openers(with_open(1'000'000), 1, ranks), 1) << ranks;
    EXPECT_EQ(openers(with_open(100'000), 100, ranks), 1) << ranks;
  }
}

// A server that is quick enough for one node has all nodes waiting for it.
TEST(Openers, AreFewerWithMoreNodes) {
  EXPECT_EQ(openers(with_open(10'000), 1, 64), 4);
  EXPECT_EQ(openers(with_open(10'000), 64, 64), 1);
}

}  // namespace
}  // namespace concilio::plan::openers_test
