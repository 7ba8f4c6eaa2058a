#include "plan/facts/spans.h"

#include <algorithm>

namespace concilio::plan {
namespace {

// Sorts the intervals by their beginning, and joins them across gaps below `gap_bytes`.
std::vector<pattern::Interval> joined(std::vector<pattern::Interval> intervals, int64_t gap_bytes) {
  std::sort(intervals.begin(), intervals.end(),
            [](pattern::Interval a, pattern::Interval b) { return a.begin < b.begin; });
  std::vector<pattern::Interval> out;
  for (const pattern::Interval& interval : intervals) {
    if (!out.empty() && interval.begin - out.back().end < gap_bytes) {
      out.back().end = std::max(out.back().end, interval.end);
    } else {
      out.push_back(interval);
    }
  }
  return out;
}

std::vector<pattern::Interval> of_buckets(std::span<const Bucket> buckets) {
  std::vector<pattern::Interval> tight;
  for (const Bucket& bucket : buckets) {
    if (bucket.bytes > 0 && bucket.end > bucket.first) tight.push_back({bucket.first, bucket.end});
  }
  return tight;
}

}  // namespace

std::vector<pattern::Interval> file_spans(const Facts& facts) {
  const Digest& digest = facts.digest;
  if (digest.bytes <= 0 || digest.end <= digest.first) return {};
  std::vector<pattern::Interval> tight;
  for (const pattern::Interval& interval : of_buckets(facts.buckets)) {
    const pattern::Interval inside{std::max(interval.begin, digest.first),
                                   std::min(interval.end, digest.end)};
    if (!inside.empty()) tight.push_back(inside);
  }
  if (tight.empty()) return {{digest.first, digest.end}};
  return joined(std::move(tight), joined_gap_bytes);
}

std::vector<pattern::Interval> tight_spans(std::span<const Bucket> buckets, size_t most) {
  std::vector<pattern::Interval> spans = joined(of_buckets(buckets), 1);
  if (spans.size() <= most) return spans;
  // The widest most - 1 gaps stay; of gaps as wide as the narrowest of these, the first ones stay.
  std::vector<size_t> kept;  // index of the span behind the gap
  for (size_t i = 1; i < spans.size(); ++i) kept.push_back(i);
  const auto gap = [&](size_t i) { return spans[i].begin - spans[i - 1].end; };
  const auto end = kept.begin() + static_cast<std::ptrdiff_t>(std::max<size_t>(1, most)) - 1;
  std::nth_element(kept.begin(), end, kept.end(),
                   [&](size_t a, size_t b) { return gap(a) != gap(b) ? gap(a) > gap(b) : a < b; });
  kept.erase(end, kept.end());
  std::sort(kept.begin(), kept.end());
  std::vector<pattern::Interval> out;
  size_t first = 0;
  for (const size_t next : kept) {
    out.push_back({spans[first].begin, spans[next - 1].end});
    first = next;
  }
  out.push_back({spans[first].begin, spans.back().end});
  return out;
}

int64_t total_bytes(std::span<const pattern::Interval> intervals) {
  int64_t bytes = 0;
  for (const pattern::Interval& interval : intervals) bytes += interval.length();
  return bytes;
}

std::vector<pattern::Interval> united(std::vector<pattern::Interval> intervals) {
  return joined(std::move(intervals), 1);
}

std::vector<pattern::Interval> intersection(std::span<const pattern::Interval> a,
                                            std::span<const pattern::Interval> b) {
  std::vector<pattern::Interval> out;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const pattern::Interval both{std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)};
    if (!both.empty()) out.push_back(both);
    if (a[i].end < b[j].end) {
      ++i;
    } else {
      ++j;
    }
  }
  return out;
}

int64_t bytes_within(pattern::Interval interval, std::span<const pattern::Interval> set) {
  int64_t bytes = 0;
  auto next = std::partition_point(set.begin(), set.end(),
                                   [&](pattern::Interval one) { return one.end <= interval.begin; });
  for (; next != set.end() && next->begin < interval.end; ++next)
    bytes += std::min(next->end, interval.end) - std::max(next->begin, interval.begin);
  return bytes;
}

bool intersect(std::span<const pattern::Interval> a, std::span<const pattern::Interval> b) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (std::max(a[i].begin, b[j].begin) < std::min(a[i].end, b[j].end)) return true;
    if (a[i].end < b[j].end) {
      ++i;
    } else {
      ++j;
    }
  }
  return false;
}

int64_t offset_at(std::span<const pattern::Interval> intervals, int64_t position) {
  for (const pattern::Interval& interval : intervals) {
    if (position < interval.length()) return interval.begin + position;
    position -= interval.length();
  }
  return intervals.empty() ? 0 : intervals.back().end;
}

}  // namespace concilio::plan
