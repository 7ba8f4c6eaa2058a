#include "plan/facts/facts.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace concilio::plan::facts_test {
namespace {

Digest of_rank(int64_t first, int64_t end, int64_t bytes, int64_t granule, int64_t anchor) {
  Digest digest;
  digest.first = first;
  digest.end = end;
  digest.bytes = digest.max_rank_bytes = bytes;
  digest.span = end - first;
  digest.file_pieces = digest.max_rank_file_pieces = bytes / granule;
  digest.memory_pieces = 1;
  digest.ranks = digest.ranks_with_data = 1;
  digest.granule = granule;
  digest.anchor = anchor;
  return digest;
}

Digest without_data() {
  Digest digest;
  digest.ranks = 1;
  return digest;
}

bool equal(const Digest& a, const Digest& b) {
  return std::memcmp(&a, &b, sizeof(Digest)) == 0;
}

Digest random_digest(std::mt19937_64& random) {
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  Digest digest = without_data();
  if (below(4) != 0) {
    const int64_t granule = int64_t{1} << below(10);
    const int64_t first = below(1000) * granule + below(3) * 4;
    const int64_t pieces = 1 + below(50);
    digest = of_rank(first, first + pieces * granule * (1 + below(3)), pieces * granule, granule, first);
    if (below(8) == 0) digest.bytes = digest.span = INT64_MAX - below(100);
  } else {
    digest.first = below(1000);  // it has no meaning, and must have no effect
    digest.end = -below(1000);
    digest.shift_max = below(1000);
  }
  digest.monotone = below(4) != 0;
  digest.stretches = below(4) != 0;
  digest.likeness = below(4);
  digest.kept = below(16);
  digest.shift_min = below(5) - 2;
  digest.shift_max = digest.shift_min + below(2);
  digest.staging_bytes = below(3);
  digest.more = below(2);
  if (below(3) == 0) {
    digest.error_kind = 1 + below(5);
    digest.error_rank = below(4);
  }
  return digest;
}

TEST(Digest, TwoRanksAreSummedBoundedAndMaximised) {
  const Digest both = combine(of_rank(100, 200, 32, 16, 100), of_rank(60, 150, 48, 8, 60));
  EXPECT_EQ(both.first, 60);
  EXPECT_EQ(both.end, 200);
  EXPECT_EQ(both.bytes, 80);
  EXPECT_EQ(both.span, 190);
  EXPECT_EQ(both.ranks, 2);
  EXPECT_EQ(both.ranks_with_data, 2);
  EXPECT_EQ(both.max_rank_bytes, 48);
  EXPECT_EQ(both.file_pieces, 8);
  EXPECT_EQ(both.memory_pieces, 2);
  EXPECT_EQ(both.max_rank_file_pieces, 6);
  EXPECT_EQ(both.granule, 8);
  EXPECT_EQ(both.anchor, 4);
}

TEST(Digest, GranuleShrinksToTheDistanceOfTwoAnchors) {
  const Digest both = combine(of_rank(0, 64, 64, 16, 0), of_rank(68, 132, 64, 16, 68));
  EXPECT_EQ(both.granule, 4);
  EXPECT_EQ(both.anchor, 0);
}

TEST(Digest, RankWithoutDataLeavesRangeAndGranuleAlone) {
  const Digest one = of_rank(1000, 1064, 64, 16, 1000);
  for (const Digest& both : {combine(one, without_data()), combine(without_data(), one)}) {
    EXPECT_EQ(both.first, 1000);
    EXPECT_EQ(both.end, 1064);
    EXPECT_EQ(both.granule, 16);
    EXPECT_EQ(both.anchor, 1000 % 16);
    EXPECT_EQ(both.ranks, 2);
    EXPECT_EQ(both.ranks_with_data, 1);
  }
}

TEST(Digest, NobodyHasData) {
  const Digest both = combine(without_data(), without_data());
  EXPECT_EQ(both.bytes, 0);
  EXPECT_EQ(both.ranks, 2);
  EXPECT_EQ(both.ranks_with_data, 0);
  EXPECT_EQ(both.granule, 0);
}

TEST(Digest, OneRankThatIsNotMonotoneOrDoesNotRepeatOrHasHolesSpeaksForAll) {
  Digest odd = of_rank(0, 8, 8, 8, 0);
  odd.monotone = odd.likeness = odd.stretches = 0;
  const Digest both = combine(of_rank(0, 8, 8, 8, 0), odd);
  EXPECT_EQ(both.monotone, 0);
  EXPECT_EQ(both.likeness, Digest::nothing_kept);
  EXPECT_EQ(both.stretches, 0);
}

TEST(Digest, APlanIsKeptWhereEveryRankHasKeptIt) {
  Digest one = of_rank(0, 8, 8, 8, 0), other = without_data();
  one.kept = 6;
  other.kept = 12;
  EXPECT_EQ(combine(one, other).kept, 4);
  EXPECT_EQ(combine(one, Digest()).kept, 6);
}

TEST(Digest, OneRankThatStagesSpeaksForAll) {
  Digest staging = without_data(), through = of_rank(0, 8, 8, 8, 0);
  staging.staging_bytes = 4096;
  staging.more = 1;
  for (const Digest& both : {combine(staging, through), combine(through, staging)}) {
    EXPECT_EQ(both.staging_bytes, 4096);
    EXPECT_EQ(both.more, 1);
  }
}

TEST(Digest, ShiftsOfARankWithoutDataDoNotCount) {
  Digest moved = of_rank(0, 8, 8, 8, 0);
  moved.shift_min = moved.shift_max = 4096;
  const Digest both = combine(without_data(), moved);
  EXPECT_EQ(both.shift_min, 4096);
  EXPECT_EQ(both.shift_max, 4096);
}

TEST(Digest, LowestRankWithAnErrorWins) {
  Digest third = without_data(), first = without_data(), good = without_data();
  third.error_kind = 1;
  third.error_rank = 3;
  first.error_kind = 9;
  first.error_rank = 1;
  for (const Digest& all : {combine(combine(third, first), good), combine(good, combine(first, third))}) {
    EXPECT_EQ(all.error_kind, 9);
    EXPECT_EQ(all.error_rank, 1);
  }
}

TEST(Digest, ErrorOfRankZeroWinsOverAnotherRanks) {
  Digest zero = without_data(), other = without_data();
  zero.error_kind = 5;
  other.error_kind = 2;
  other.error_rank = 4;
  EXPECT_EQ(combine(other, zero).error_kind, 5);
}

TEST(Digest, SumsBeyondSixtyFourBitsStopAtTheLargestNumber) {
  Digest huge = of_rank(0, 8, 8, 8, 0);
  huge.span = INT64_MAX - 4;
  EXPECT_EQ(combine(huge, huge).span, INT64_MAX);
}

TEST(Digest, CombineIsAssociativeAndCommutative) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const Digest a = random_digest(random), b = random_digest(random), c = random_digest(random);
    ASSERT_TRUE(equal(combine(a, b), combine(b, a))) << i;
    ASSERT_TRUE(equal(combine(combine(a, b), c), combine(a, combine(b, c)))) << i;
  }
}

TEST(Bucket, CombineTakesTheTightestIntervalOfBoth) {
  const Bucket both = combine(Bucket{100, 120, 20}, Bucket{90, 110, 8});
  EXPECT_EQ(both.first, 90);
  EXPECT_EQ(both.end, 120);
  EXPECT_EQ(both.bytes, 28);
}

TEST(Bucket, EmptyOneLeavesTheOtherAlone) {
  const Bucket both = combine(Bucket{}, Bucket{90, 110, 8});
  EXPECT_EQ(both.first, 90);
  EXPECT_EQ(both.end, 110);
  EXPECT_EQ(both.bytes, 8);
}

TEST(BucketBorder, DividesTheRangeWithoutGapsEvenWhereItIsShorterThanTheCount) {
  for (const auto& [first, end] :
       {std::pair<int64_t, int64_t>{0, 1 << 20}, {7, 100}, {5, 6}, {3, INT64_MAX}}) {
    EXPECT_EQ(bucket_border(first, end, 0), first);
    EXPECT_EQ(bucket_border(first, end, bucket_count), end);
    for (int i = 0; i < bucket_count; ++i) {
      EXPECT_LE(bucket_border(first, end, i), bucket_border(first, end, i + 1));
    }
  }
}

TEST(MethodName, EveryMethodHasTheNameOfItsHint) {
  EXPECT_STREQ(method_name(Method::independent), "independent");
  EXPECT_STREQ(method_name(Method::list), "list");
  EXPECT_STREQ(method_name(Method::sieve), "sieve");
  EXPECT_STREQ(method_name(Method::two_phase), "two_phase");
  EXPECT_STREQ(method_name(Method::mapped), "mapped");
}

}  // namespace
}  // namespace concilio::plan::facts_test
