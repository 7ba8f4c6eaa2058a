#include "base/system/reserve_in_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace concilio::reserve_in_steps_test {
namespace {

using testing::ElementsAre;

struct Step {
  int64_t offset, bytes;
  bool operator==(const Step&) const = default;
};

TEST(ReserveInSteps, OneStepWhereNothingInterrupts) {
  std::vector<Step> steps;
  const auto reserve = [&](int64_t offset, int64_t bytes) {
    steps.push_back({offset, bytes});
    return 0;
  };
  EXPECT_EQ(reserve_in_steps(5, int64_t{1} << 40, reserve), 0);
  EXPECT_EQ(reserve_in_steps(5, 0, reserve), 0);
  EXPECT_THAT(steps, ElementsAre(Step{5, int64_t{1} << 40}));
}

// Signals come so fast that longer steps never end.
TEST(ReserveInSteps, StepsGetShortEnoughToEnd) {
  constexpr int64_t longest = 10'000, begin = 123, length = 100'000;
  int64_t end = begin;
  int interrupted = 0;
  const auto reserve = [&](int64_t offset, int64_t bytes) {
    EXPECT_EQ(offset, end);
    if (bytes > longest) return ++interrupted, EINTR;
    end += bytes;
    return 0;
  };
  EXPECT_EQ(reserve_in_steps(begin, length, reserve), 0);
  EXPECT_EQ(end, begin + length);
  EXPECT_EQ(interrupted, 4);
}

TEST(ReserveInSteps, NoStepIsShorterThanAPage) {
  std::vector<Step> steps;
  const auto reserve = [&](int64_t offset, int64_t bytes) {
    steps.push_back({offset, bytes});
    return steps.size() < 4 ? EINTR : 0;
  };
  EXPECT_EQ(reserve_in_steps(0, 10'000, reserve), 0);
  EXPECT_THAT(steps, ElementsAre(Step{0, 10'000}, Step{0, 5000}, Step{0, 4096}, Step{0, 4096},
                                 Step{4096, 4096}, Step{8192, 1808}));
}

TEST(ReserveInSteps, FailureEndsIt) {
  int calls = 0;
  EXPECT_EQ(reserve_in_steps(0, 10'000, [&](int64_t, int64_t) { return ++calls, ENOSPC; }), ENOSPC);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace concilio::reserve_in_steps_test
