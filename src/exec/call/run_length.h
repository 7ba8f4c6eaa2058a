// How many collective calls the ranks make apart before they meet again: see exec/apart.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace concilio::exec {

class RunLength {
 public:
  // The length of the run after a meeting. If nothing was new at it, a call takes all ranks together so many
  // seconds. Runs grow with each such meeting: 1, 3, 7, up to 63. Calls of a microsecond meet less often:
  // where all ranks write beside each other, they take turns at the file's lock, and that takes longer when
  // they begin together than when each goes on at its own pace. Long calls meet more often, so that no run
  // takes longer than `longest_seconds`: a rank's error is heard of by the others no later than that.
  int64_t after_meeting(std::optional<double> seconds, double longest_seconds) {
    constexpr double long_enough_seconds = 0.001;
    if (!seconds) return calls_ = 0;
    const double each = std::max(*seconds, 1e-9);
    const double most =
        std::min(std::clamp(long_enough_seconds / each, 63.0, 1023.0), longest_seconds / each);
    return calls_ = std::min(2 * calls_ + 1, static_cast<int64_t>(most));
  }

 private:
  int64_t calls_ = 0;
};

}  // namespace concilio::exec
