// What all ranks of a file counted until they closed it, added up. Plain data.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/activity/rank_times.h"
#include "base/counters.h"

namespace concilio {

struct ClosedTotals {
  // Behind the counters: the memory of a rank, and of its descriptions of datatypes; and how long the open
  // took, in nanoseconds.
  static constexpr size_t peak = counter_count, described = peak + 1, open_ns = peak + 2, count = peak + 3;
  std::array<int64_t, count> sums{}, maxima{};  // over the ranks
  RankTimes slowest;                            // of the rank whose calls took longest

  // A file of one rank was closed, or this is what one rank has. Most counters of a file that was open
  // briefly are zero.
  void add_rank(const Counters& counters, int64_t peak_bytes, int64_t described_bytes, int64_t took_ns) {
    for (size_t i = 0; i < counter_count; ++i) {
      const int64_t value = counters.values[i];
      if (value == 0) continue;
      sums[i] += value;
      maxima[i] += value;
    }
    slowest += RankTimes(counters);
    sums[open_ns] += took_ns;
    maxima[open_ns] += took_ns;
    maxima[peak] = std::max(maxima[peak], peak_bytes);
    maxima[described] = std::max(maxima[described], described_bytes);
  }
  // The same file was closed once more, or another was.
  void add(const ClosedTotals& once) {
    const int64_t peaks[] = {std::max(maxima[peak], once.maxima[peak]),
                             std::max(maxima[described], once.maxima[described])};
    for (size_t i = 0; i < count; ++i) {
      sums[i] += once.sums[i];
      maxima[i] += once.maxima[i];
    }
    slowest += once.slowest;
    maxima[peak] = peaks[0];
    maxima[described] = peaks[1];
  }
};
// Of two ranks, or of more.
inline ClosedTotals combine(const ClosedTotals& a, const ClosedTotals& b) {
  ClosedTotals both;
  both.slowest = slower(a.slowest, b.slowest);
  for (size_t i = 0; i < ClosedTotals::count; ++i) {
    both.sums[i] = a.sums[i] + b.sums[i];
    both.maxima[i] = std::max(a.maxima[i], b.maxima[i]);
  }
  return both;
}

}  // namespace concilio
