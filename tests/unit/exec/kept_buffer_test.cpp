#include "exec/call/kept_buffer.h"

#include <gtest/gtest.h>

namespace concilio::exec {
namespace {

constexpr int64_t MiB = 1 << 20;

class KeptBufferTest : public ::testing::Test {
 protected:
  std::byte* used(int64_t bytes) {
    KeptBuffer::Loan loan(kept_);
    EXPECT_TRUE(loan.reserve(budget_, bytes).ok());
    return loan.data();
  }
  Budget budget_{100 * MiB};
  KeptBuffer kept_;
};

TEST_F(KeptBufferTest, TheNextCallHasTheSameMemory) {
  std::byte* const first = used(2 * MiB);
  EXPECT_EQ(kept_.size(), 2 * MiB);
  EXPECT_EQ(used(MiB), first);
  EXPECT_EQ(kept_.size(), 2 * MiB);
  EXPECT_EQ(budget_.current_bytes(), 2 * MiB);
  EXPECT_EQ(budget_.high_water_bytes(), 2 * MiB);
}

TEST_F(KeptBufferTest, ALongerOneTakesItsPlace) {
  used(MiB);
  used(3 * MiB);
  EXPECT_EQ(kept_.size(), 3 * MiB);
  EXPECT_EQ(budget_.high_water_bytes(), 3 * MiB) << "both never exist together";
}

TEST_F(KeptBufferTest, CallsAtTheSameTimeHaveTheirOwn) {
  used(MiB);
  {
    KeptBuffer::Loan one(kept_), other(kept_);
    EXPECT_TRUE(one.reserve(budget_, MiB).ok());
    EXPECT_TRUE(other.reserve(budget_, 2 * MiB).ok());
    EXPECT_NE(one.data(), other.data());
    EXPECT_EQ(kept_.size(), 0);
  }
  EXPECT_EQ(kept_.size(), 2 * MiB);
  EXPECT_EQ(budget_.current_bytes(), 2 * MiB);
}

TEST_F(KeptBufferTest, KeepsNoMoreThanTheUsualBuffers) {
  used(5 * MiB);
  EXPECT_EQ(kept_.size(), 0);
  EXPECT_EQ(budget_.current_bytes(), 0);
}

TEST_F(KeptBufferTest, DroppedMemoryIsFree) {
  used(MiB);
  kept_.drop();
  EXPECT_EQ(kept_.size(), 0);
  EXPECT_EQ(budget_.current_bytes(), 0);
}

}  // namespace
}  // namespace concilio::exec
