#include "exec/two_phase/letters.h"

#include <gtest/gtest.h>

#include <limits>

namespace concilio::exec::letters_test {
namespace {

constexpr int64_t most_int = std::numeric_limits<int>::max();

TEST(Letters, KeepWhatIsAddedToEachApart) {
  Letters letters({16, 0, 8});
  ASSERT_TRUE(letters.fit());
  letters.add(0, 1);
  letters.add(2, 2);
  letters.add(0, 3);
  const auto numbers = [&](size_t node) {
    std::vector<int64_t> found(letters.letter(node).size() / sizeof(int64_t));
    if (!found.empty())
      std::memcpy(found.data(), letters.letter(node).data(), found.size() * sizeof(int64_t));
    return found;
  };
  EXPECT_EQ(numbers(0), (std::vector<int64_t>{1, 3}));
  EXPECT_TRUE(numbers(1).empty());
  EXPECT_EQ(numbers(2), (std::vector<int64_t>{2}));
  EXPECT_TRUE(letters.have_room());
  letters.counts()[1] = 1;
  EXPECT_FALSE(letters.have_room());
}

// Each alone could be counted by an int, but the places behind them could not.
TEST(Letters, DoNotFitBeyondWhatAnIntCounts) {
  const Letters letters({most_int - 8, 8, 1, most_int});
  EXPECT_FALSE(letters.fit());
  EXPECT_EQ(letters.memory_bytes(), 0);
  const Letters wide({most_int + int64_t{1}});
  EXPECT_FALSE(wide.fit());
}

}  // namespace
}  // namespace concilio::exec::letters_test
