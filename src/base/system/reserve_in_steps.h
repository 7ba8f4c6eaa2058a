// Space for a file, reserved also where signals come faster than it can be had at once.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>

namespace concilio {

// Reserves [offset, offset + length) by calls of reserve(offset, bytes), which return 0 or an errno. Returns
// 0, or the first errno but EINTR.
//
// The tmpfs of most kernels looks for signals at each page. If one has come, it gives back all that this call
// had reserved, and fails with EINTR, also if the signal's handler has SA_RESTART. A call that takes longer
// than the period of a profiler's timer, made again as it was, would never end. So what follows an
// interrupted call is half as long.
template <typename Reserve>
int reserve_in_steps(int64_t offset, int64_t length, Reserve&& reserve) {
  constexpr int64_t least_step_bytes = 4096;
  for (int64_t step_bytes = length; length > 0;) {
    const int64_t bytes = std::min(step_bytes, length);
    const int failed = reserve(offset, bytes);
    if (failed == EINTR) {
      step_bytes = std::max(bytes / 2, least_step_bytes);
      continue;
    }
    if (failed) return failed;
    offset += bytes;
    length -= bytes;
  }
  return 0;
}

}  // namespace concilio
