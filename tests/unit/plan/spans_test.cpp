#include "plan/facts/spans.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace concilio::plan::spans_test {
namespace {

using Intervals = std::vector<pattern::Interval>;

std::vector<Bucket> buckets_of(const Intervals& intervals) {
  std::vector<Bucket> out;
  for (const pattern::Interval& interval : intervals) {
    out.push_back({});  // each comes after an empty one
    out.push_back({interval.begin, interval.end, interval.length()});
  }
  return out;
}

TEST(TightSpans, OfNoBucketsAndOfEmptyOnesThereAreNone) {
  EXPECT_TRUE(tight_spans({}, 8).empty());
  EXPECT_TRUE(tight_spans(std::vector<Bucket>(bucket_count), 8).empty());
}

TEST(TightSpans, OnlyTheSmallestGapsAreJoined) {
  struct Row {
    const char* situation;
    Intervals tight;
    size_t most;
    Intervals expected;
  };
  const Row rows[] = {
      {"room for all", {{0, 10}, {20, 30}}, 2, {{0, 10}, {20, 30}}},
      {"those that touch are one", {{0, 10}, {10, 30}, {31, 40}}, 8, {{0, 30}, {31, 40}}},
      {"room for one", {{5, 10}, {20, 30}, {100, 101}}, 1, {{5, 101}}},
      {"the smallest gap first", {{0, 10}, {12, 20}, {25, 30}}, 2, {{0, 20}, {25, 30}}},
      {"the smallest gap last", {{0, 10}, {15, 20}, {21, 30}}, 2, {{0, 10}, {15, 30}}},
      {"two gaps of three", {{0, 1}, {5, 6}, {7, 8}, {12, 13}}, 3, {{0, 1}, {5, 8}, {12, 13}}},
      {"equal gaps: the first ones stay",
       {{0, 1}, {5, 6}, {10, 11}, {15, 16}},
       3,
       {{0, 1}, {5, 6}, {10, 16}}},
      {"equal gaps, room for one", {{0, 1}, {5, 6}, {10, 11}}, 1, {{0, 11}}},
      {"equal small gaps before the widest",
       {{0, 1}, {5, 6}, {10, 11}, {20, 21}},
       3,
       {{0, 1}, {5, 11}, {20, 21}}},
      {"the widest and some of its likes",
       {{0, 1}, {5, 6}, {20, 21}, {25, 26}, {30, 31}},
       3,
       {{0, 1}, {5, 6}, {20, 31}}},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(tight_spans(buckets_of(row.tight), row.most), row.expected) << row.situation;
  }
}

TEST(TightSpans, HoldAllBucketsAndAreNoMoreThanAskedForWhateverTheBuckets) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 5000; ++i) {
    Intervals tight;
    for (int64_t at = 0; tight.size() < 1 + random() % 40;) {
      const int64_t begin = at + static_cast<int64_t>(random() % 6);
      at = begin + 1 + static_cast<int64_t>(random() % 6);
      tight.push_back({begin, at});
    }
    const size_t most = 1 + random() % 10;
    const Intervals spans = tight_spans(buckets_of(tight), most);
    ASSERT_LE(spans.size(), most) << i;
    ASSERT_EQ(spans.size(), std::min(most, united(tight).size())) << i;
    ASSERT_EQ(intersection(tight, spans), tight) << i;
    ASSERT_EQ(spans.front().begin, tight.front().begin) << i;
    ASSERT_EQ(spans.back().end, tight.back().end) << i;
    // No joined gap is wider than a gap that remains.
    int64_t narrowest = INT64_MAX, widest_joined = 0;
    for (size_t s = 1; s < spans.size(); ++s)
      narrowest = std::min(narrowest, spans[s].begin - spans[s - 1].end);
    for (size_t t = 1; t < tight.size(); ++t) {
      const pattern::Interval gap{tight[t - 1].end, tight[t].begin};
      if (intersect(std::span(&gap, 1), spans)) widest_joined = std::max(widest_joined, gap.length());
    }
    ASSERT_LE(widest_joined, narrowest) << i;
  }
}

TEST(IntervalSets, United) {
  EXPECT_EQ(united({}), Intervals{});
  EXPECT_EQ(united({{5, 9}, {0, 3}}), (Intervals{{0, 3}, {5, 9}}));
  EXPECT_EQ(united({{0, 3}, {3, 5}}), (Intervals{{0, 5}}));
  EXPECT_EQ(united({{0, 9}, {2, 4}, {9, 10}, {12, 13}}), (Intervals{{0, 10}, {12, 13}}));
}

TEST(IntervalSets, Intersection) {
  struct Row {
    Intervals a, b, both;
  };
  const Row rows[] = {
      {{}, {{0, 5}}, {}},
      {{{0, 5}}, {{5, 9}}, {}},
      {{{0, 5}}, {{4, 9}}, {{4, 5}}},
      {{{0, 100}}, {{1, 2}, {50, 60}, {99, 200}}, {{1, 2}, {50, 60}, {99, 100}}},
      {{{0, 10}, {20, 30}}, {{5, 25}}, {{5, 10}, {20, 25}}},
      {{{0, 10}, {10, 20}}, {{0, 20}}, {{0, 10}, {10, 20}}},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(intersection(row.a, row.b), row.both);
    EXPECT_EQ(intersection(row.b, row.a), row.both);
    EXPECT_EQ(intersect(row.a, row.b), !row.both.empty());
    EXPECT_EQ(intersect(row.b, row.a), !row.both.empty());
    int64_t within = 0;
    for (const pattern::Interval& interval : row.a) within += bytes_within(interval, row.b);
    EXPECT_EQ(within, total_bytes(row.both));
  }
}

TEST(IntervalSets, AgreeWithSetsOfBytes) {
  std::mt19937_64 random(12);
  const auto any = [&] {
    Intervals out;
    for (uint64_t i = random() % 6; i > 0; --i) {
      const auto begin = static_cast<int64_t>(random() % 60);
      out.push_back({begin, begin + 1 + static_cast<int64_t>(random() % 15)});
    }
    return out;
  };
  const auto bytes_of = [](const Intervals& intervals) {
    std::set<int64_t> out;
    for (const pattern::Interval& interval : intervals) {
      for (int64_t byte = interval.begin; byte < interval.end; ++byte) out.insert(byte);
    }
    return out;
  };
  for (int i = 0; i < 2000; ++i) {
    const Intervals one = any(), other = any(), a = united(one), b = united(other);
    ASSERT_EQ(bytes_of(a), bytes_of(one));
    ASSERT_EQ(total_bytes(a), static_cast<int64_t>(bytes_of(one).size()));
    std::set<int64_t> common;
    for (const int64_t byte : bytes_of(a)) {
      if (bytes_of(b).count(byte)) common.insert(byte);
    }
    const Intervals both = intersection(a, b);
    ASSERT_EQ(bytes_of(both), common);
    ASSERT_EQ(total_bytes(both), static_cast<int64_t>(common.size()));
    ASSERT_EQ(intersect(a, b), !common.empty());
    int64_t position = 0;
    for (const int64_t byte : bytes_of(a)) ASSERT_EQ(offset_at(a, position++), byte);
  }
}

TEST(OffsetAt, CountsAlongTheIntervals) {
  const Intervals intervals{{100, 110}, {200, 205}};
  EXPECT_EQ(offset_at(intervals, 0), 100);
  EXPECT_EQ(offset_at(intervals, 9), 109);
  EXPECT_EQ(offset_at(intervals, 10), 200);
  EXPECT_EQ(offset_at(intervals, 14), 204);
  EXPECT_EQ(offset_at(intervals, 15), 205);  // their end
  EXPECT_EQ(offset_at({}, 0), 0);
}

}  // namespace
}  // namespace concilio::plan::spans_test
