#include "exec/call/work_time.h"

#include <gtest/gtest.h>

namespace concilio::exec::work_time_test {
namespace {

TEST(WorkTime, OfANodeFromTheFirstBeginToTheLastEnd) {
  // There is one core, and the second rank begins when the first one has finished.
  const WorkTime both = combine({0, 100, 130}, {0, 130, 160});
  EXPECT_EQ(both.ns(), 60);
  EXPECT_EQ(combine(both, {0, 110, 120}).ns(), 60);
}

TEST(WorkTime, OfNodesTheLongest) {
  // Their clocks differ by far more than a call takes.
  const WorkTime one{0, 100, 160}, other{1, 9000, 9070};
  EXPECT_EQ(combine(one, other).ns(), 70);
  EXPECT_EQ(combine(other, one).ns(), 70);
}

}  // namespace
}  // namespace concilio::exec::work_time_test
