#include "system/other_work.h"

#include <gtest/gtest.h>

namespace concilio::tools {
namespace {

TEST(OtherWork, CoresThatAreBusy) {
  const auto before = core_times("cpu  100 10 20 1000 50 1 2 5 0 0\ncpu0 1 2 3 4 5 6 7 8 9 0\n");
  ASSERT_TRUE(before);
  EXPECT_EQ(before->worked, 138);
  EXPECT_EQ(before->idle, 1050);
  // 5 ticks for programs and 5 that were stolen, of 20 ticks of two cores.
  const auto after = core_times("cpu  105 10 20 1010 50 1 2 10 0 0\n");
  ASSERT_TRUE(after);
  EXPECT_DOUBLE_EQ(busy_cores(*before, *after, 2), 1);
  EXPECT_EQ(busy_cores(*before, *before, 2), 0);
}

TEST(OtherWork, NotKnownWhereTheKernelDoesNotTell) {
  EXPECT_FALSE(core_times(""));
  EXPECT_FALSE(core_times("cpu 1 2 3\n"));
  EXPECT_FALSE(core_times("intr 1 2 3 4 5 6 7 8\n"));
}

}  // namespace
}  // namespace concilio::tools
