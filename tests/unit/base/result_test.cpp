#include "base/result.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>

#include "base/checked.h"
#include "base/counters.h"

namespace concilio::result_test {
namespace {

TEST(Result, ValueThatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(7);
  ASSERT_TRUE(result.ok());
  std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 7);
}

TEST(Result, ErrorKeepsItsKindAndMessage) {
  const Result<int> result = Error{ErrorKind::quota, EDQUOT, "no"};
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::quota);
  EXPECT_EQ(result.error().system_errno, EDQUOT);
  EXPECT_EQ(result.error().message, "no");
}

TEST(Result, StatusIsFineUntilAnErrorIsPut) {
  Status status;
  EXPECT_TRUE(status.ok());
  status = Error{};
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::other);
}

TEST(ErrorFromErrno, SaysWhatAndWhy) {
  const Error error = Error::from_errno(ENOSPC, "cannot write x");
  EXPECT_EQ(error.message, "cannot write x: No space left on device");
  EXPECT_EQ(error.system_errno, ENOSPC);
  EXPECT_EQ(error.kind, ErrorKind::no_space);
}

TEST(ErrorFromErrno, NumberThatNoSystemKnows) {
  const Error error = Error::from_errno(98765, "cannot write x");
  EXPECT_EQ(error.kind, ErrorKind::other);
  EXPECT_NE(error.message.find("98765"), std::string::npos);
}

TEST(ErrorKindOfErrno, TheClassesThatMpiKnows) {
  EXPECT_EQ(Error::kind_of_errno(0), ErrorKind::none);
  EXPECT_EQ(Error::kind_of_errno(ENOENT), ErrorKind::no_such_file);
  EXPECT_EQ(Error::kind_of_errno(EEXIST), ErrorKind::file_exists);
  EXPECT_EQ(Error::kind_of_errno(EISDIR), ErrorKind::bad_file);
  EXPECT_EQ(Error::kind_of_errno(ENOTDIR), ErrorKind::bad_file);
  EXPECT_EQ(Error::kind_of_errno(ENAMETOOLONG), ErrorKind::bad_file);
  EXPECT_EQ(Error::kind_of_errno(EACCES), ErrorKind::access);
  EXPECT_EQ(Error::kind_of_errno(EPERM), ErrorKind::access);
  EXPECT_EQ(Error::kind_of_errno(EDQUOT), ErrorKind::quota);
  EXPECT_EQ(Error::kind_of_errno(EROFS), ErrorKind::read_only);
  EXPECT_EQ(Error::kind_of_errno(ETXTBSY), ErrorKind::file_in_use);
  EXPECT_EQ(Error::kind_of_errno(EIO), ErrorKind::io);
  EXPECT_EQ(Error::kind_of_errno(ENOTSUP), ErrorKind::unsupported);
}

TEST(Checked, OverflowIsSaidAndNotTaken) {
  EXPECT_EQ(checked_add(INT64_MAX, 1), std::nullopt);
  EXPECT_EQ(checked_add(INT64_MAX, 0), INT64_MAX);
  EXPECT_EQ(saturating_add(INT64_MAX - 1, 1), INT64_MAX);
  EXPECT_EQ(saturating_add(INT64_MAX - 1, 2), INT64_MAX);
  EXPECT_EQ(saturating_add(INT64_MIN + 1, -2), INT64_MIN);
  EXPECT_EQ(checked_multiply(int64_t{1} << 40, int64_t{1} << 40), std::nullopt);
  EXPECT_EQ(checked_multiply(-4, 5), -20);
}

TEST(Checked, DivisionOfNegativesRoundsAsItsNameSays) {
  EXPECT_EQ(floor_divide(-1, 4), -1);
  EXPECT_EQ(ceil_divide(-1, 4), 0);
  EXPECT_EQ(floor_divide(7, 4), 1);
  EXPECT_EQ(ceil_divide(7, 4), 2);
  EXPECT_EQ(align_down(-1, 4096), -4096);
  EXPECT_EQ(align_up(1, 4096), 4096);
  EXPECT_EQ(align_up(4096, 4096), 4096);
}

TEST(Counters, NamesStandInTheOrderOfTheirCounters) {
  EXPECT_STREQ(counter_name(Counter::independent_reads), "independent_reads");
  EXPECT_STREQ(counter_name(Counter::rounds), "rounds");
  EXPECT_STREQ(counter_name(Counter::storage_bytes_written), "storage_bytes_written");
  EXPECT_STREQ(counter_name(Counter::locks_taken), "locks_taken");
  EXPECT_STREQ(counter_name(Counter::call_ns), "call_ns");
}

TEST(Counters, StopwatchAddsToWhatWasThere) {
  Counters counters;
  counters[Counter::copy_ns] = 1'000'000'000'000;
  const int64_t start_ns = now_ns();
  {
    const Stopwatch stopwatch(counters, Counter::copy_ns);
    while (now_ns() < start_ns + 1000) {
    }
  }
  EXPECT_GT(counters[Counter::copy_ns], 1'000'000'000'000);
  EXPECT_LE(counters[Counter::copy_ns], 1'000'000'000'000 + now_ns() - start_ns);
}

}  // namespace
}  // namespace concilio::result_test
