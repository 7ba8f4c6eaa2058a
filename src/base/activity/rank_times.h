// What one rank's calls on a file took, and on what it spent that time. Of the ranks of a file the slowest is
// told of: parts that are maxima over all ranks would be those of several, and more than any rank's whole.
#pragma once

#include <array>
#include <cstdint>

#include "base/counters.h"

namespace concilio {

struct RankTimes {
  // The whole, and then its parts.
  static constexpr std::array counters = {Counter::call_ns, Counter::exchange_ns, Counter::copy_ns,
                                          Counter::storage_ns, Counter::plan_ns};
  std::array<int64_t, counters.size()> ns{};

  RankTimes() = default;
  template <typename Values>  // by Counter
  explicit RankTimes(const Values& values) {
    for (size_t i = 0; i < ns.size(); ++i) ns[i] = values[counters[i]];
  }
  int64_t whole_ns() const { return ns[0]; }
  // The same file was closed once more, or another was.
  void operator+=(const RankTimes& more) {
    for (size_t i = 0; i < ns.size(); ++i) ns[i] += more.ns[i];
  }
};
inline const RankTimes& slower(const RankTimes& a, const RankTimes& b) {
  return b.whole_ns() > a.whole_ns() ? b : a;
}

}  // namespace concilio
