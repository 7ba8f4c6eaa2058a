// The stretches of the file that a call touches, and functions on sets of intervals in general. A set's
// intervals are ascending and disjoint.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/facts/facts.h"

namespace concilio::plan {

// Gaps smaller than this are included, since moving 4 KiB costs less than another request.
inline constexpr int64_t joined_gap_bytes = 4096;

// The stretches of the file that hold every byte asked for: the tight intervals of the buckets, joined across
// gaps that are too small to be worth a request. Without buckets this is [first, end); for a call without
// bytes it is empty. All stretches lie in [first, end).
std::vector<pattern::Interval> file_spans(const Facts& facts);
// The same for some buckets, in at most `most` stretches: those with the smallest gaps between them are
// joined.
std::vector<pattern::Interval> tight_spans(std::span<const Bucket> buckets, size_t most);

int64_t total_bytes(std::span<const pattern::Interval> intervals);
// Sorts the intervals and joins those that touch or overlap.
std::vector<pattern::Interval> united(std::vector<pattern::Interval> intervals);
std::vector<pattern::Interval> intersection(std::span<const pattern::Interval> a,
                                            std::span<const pattern::Interval> b);
// How many bytes of the interval lie in the set.
int64_t bytes_within(pattern::Interval interval, std::span<const pattern::Interval> set);
bool intersect(std::span<const pattern::Interval> a, std::span<const pattern::Interval> b);
// The offset of byte `position` of the intervals' bytes, 0 <= position <= their total.
int64_t offset_at(std::span<const pattern::Interval> intervals, int64_t position);

}  // namespace concilio::plan
