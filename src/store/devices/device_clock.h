// The time line of modelled storage: when each of its devices has done what clients asked of it so far.
// Arithmetic alone: nobody sleeps here, and the time is the caller's.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "store/devices/throttle_costs.h"

namespace concilio {

// Every target is a pipe, which all its bytes pass one after the other, and `streams` channels. A request
// takes the channel that has it done first, for its cost and its bytes, and the pipe for its bytes. It is
// done when both are.
class DeviceClock {
 public:
  static constexpr int64_t most_words = 504;  // of a page with a header
  static int64_t words_of(const ThrottleCosts& costs);

  // `words`: words_of(costs) of them, all 0 at the beginning, which other processes may have in use as well.
  DeviceClock(const ThrottleCosts& costs, std::span<std::atomic<int64_t>> words)
      : costs_(costs), words_(words) {}

  struct Request {
    bool writes;
    uint64_t file;  // any number that is the file's own
    int64_t offset, bytes;
  };
  // Reserves what the request takes of the devices, for a client that makes it at now_ns. When it is done.
  int64_t reserve(const Request& request, int64_t now_ns);

  // Work that a device may be behind with. Further in the future, its time line is a leftover of another
  // boot, and the device free.
  static constexpr int64_t longest_backlog_ns = 3600'000'000'000;

 private:
  int64_t reserve_channel(int64_t target, const Request& request, int64_t now_ns);
  int64_t reserve_pipe(int64_t target, int64_t bytes, int64_t now_ns);
  std::atomic<int64_t>& word(int64_t target, int64_t index) const;

  const ThrottleCosts costs_;
  const std::span<std::atomic<int64_t>> words_;
};

// Nanoseconds that bytes take at bytes_per_second; 0 where that is 0, which is no limit.
int64_t transfer_ns(int64_t bytes, int64_t bytes_per_second);

// Of the first `end` bytes of a file that is dealt to `targets` in stripes, those on `target`.
int64_t bytes_on_target(int64_t end, int64_t target, int64_t targets, int64_t stripe_bytes);

}  // namespace concilio
