// Which stretches of the file a call touches, and sets of intervals in general: ascending and disjoint.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/facts/facts.h"

namespace concilio {

// Gaps below this are taken along: moving 4 KiB costs less than one request more.
inline constexpr int64_t joined_gap_bytes = 4096;

// The stretches of the file that hold every byte asked for: the tight intervals of the buckets, joined across
// gaps too small to be worth a request; [first, end) where there are no buckets; none for a call without
// bytes. All lie in [first, end).
std::vector<Interval> file_spans(const Facts& facts);
// The same of some buckets alone, at most `most` of them: the smallest gaps are joined.
std::vector<Interval> tight_spans(std::span<const Bucket> buckets, size_t most);

int64_t total_bytes(std::span<const Interval> intervals);
// Sorted, with those that touch or overlap made one.
std::vector<Interval> united(std::vector<Interval> intervals);
std::vector<Interval> intersection(std::span<const Interval> a, std::span<const Interval> b);
bool intersect(std::span<const Interval> a, std::span<const Interval> b);
// The offset that lies `position` bytes into the intervals, counted along them: 0 <= position <= their total.
int64_t offset_at(std::span<const Interval> intervals, int64_t position);

}  // namespace concilio
