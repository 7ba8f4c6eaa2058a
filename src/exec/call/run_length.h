// How many collective calls the ranks make apart before they meet again: see exec/apart.h.
#pragma once

#include <algorithm>
#include <cstdint>

namespace concilio::exec {

class RunLength {
 public:
  // The length of the run after a meeting in a call that has taken so long on all ranks together. Runs grow
  // with each meeting at which nothing is new: 1, 3, 7, up to 63. Calls of a microsecond meet less often:
  // where all ranks write beside each other, they take turns at the file's lock, and that takes longer when
  // they begin together than when each goes on at its own pace.
  int64_t after_meeting(bool nothing_new, double seconds) {
    constexpr double long_enough_seconds = 0.001;
    const double most = std::clamp(long_enough_seconds / std::max(seconds, 1e-9), 63.0, 1023.0);
    calls_ = nothing_new ? std::min(2 * calls_ + 1, static_cast<int64_t>(most)) : 0;
    return calls_;
  }

 private:
  int64_t calls_ = 0;
};

}  // namespace concilio::exec
