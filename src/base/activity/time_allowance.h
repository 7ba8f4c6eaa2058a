// How much of a run's time recording for a report may take. Whoever records asks here first, and says what it
// took. What there is no time for is not lost, but told together with others.
#pragma once

#include <atomic>
#include <cstdint>

namespace concilio {

// Thread-safe. Threads that come at the same moment may all be the last that there is time for.
class TimeAllowance {
 public:
  // Until it begins there is time for everything.
  constexpr TimeAllowance() = default;
  explicit TimeAllowance(int64_t begin_ns) { begin(begin_ns); }
  void begin(int64_t now_ns) { begin_ns_.store(now_ns, std::memory_order_relaxed); }

  bool covers(int64_t now_ns) const { return now_ns >= covers_from_ns(); }
  // There is none till then, and later only if nobody spends any till then.
  int64_t covers_from_ns() const { return begin_ns_.load(std::memory_order_relaxed) + a_part * spent_ns(); }
  void spend(int64_t ns) { spent_ns_.fetch_add(ns, std::memory_order_relaxed); }
  int64_t spent_ns() const { return spent_ns_.load(std::memory_order_relaxed); }

 private:
  // Less than half of a hundredth, since it takes time too to find that there is none, and to count what is
  // left out.
  static constexpr int64_t a_part = 250;
  std::atomic<int64_t> begin_ns_{INT64_MIN / 2}, spent_ns_{0};
};

}  // namespace concilio
