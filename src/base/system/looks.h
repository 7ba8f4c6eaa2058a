// The pauses of somebody who waits for another process that cannot wake it, and looks again and again whether
// that one is done.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/system/core_offer.h"
#include "base/waiting.h"

namespace concilio {

class Looks {
 public:
  // For so long it offers its core to others instead of sleeping, as long as they do not keep it: whoever
  // writes some KiB to cached pages is done in less time than it takes to fall asleep and wake up. Actors of
  // a simulator would wait for ever.
  static int64_t without_sleep_ns() { return ranks_are_simulated() ? 0 : 50'000; }

  Looks(int64_t first_sleep_ns, int64_t longest_sleep_ns)
      : next_sleep_ns_(first_sleep_ns), longest_sleep_ns_(longest_sleep_ns) {}

  int64_t waited_ns() const { return now_ns() - begin_ns_; }
  // For the time until the next look, which is at most so long.
  void pause(int64_t at_most_ns = INT64_MAX) {
    if (waited_ns() < without_sleep_ns() && offer_core()) return;
    sleep_ns(std::min(next_sleep_ns_, at_most_ns));
    next_sleep_ns_ = std::min(2 * next_sleep_ns_, longest_sleep_ns_);
  }

 private:
  const int64_t begin_ns_ = now_ns();
  int64_t next_sleep_ns_, longest_sleep_ns_;
};

}  // namespace concilio
