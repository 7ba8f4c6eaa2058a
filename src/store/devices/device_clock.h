// The time line of modelled storage: when each of its devices, and its metadata server, will have served what
// clients have asked of it so far, and who wrote each stripe last. It is arithmetic alone: it never sleeps,
// and its caller gives the time.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "store/devices/throttle_costs.h"

namespace concilio::store {

// Each target has one pipe, which all its bytes pass one after another, and `streams` channels. A request
// takes the channel that serves it first, for its cost and its bytes, and the pipe, for its bytes. It is done
// when both are. If stripes have locks, it begins when its client has those of its stripes.
class DeviceClock {
 public:
  static constexpr int64_t most_words_of_targets = 1 << 16;
  static int64_t words_of_targets(const ThrottleCosts& costs);
  // All that this time line needs, which is not much.
  static int64_t words_of(const ThrottleCosts& costs);

  // `words` are words_of(costs) numbers that begin as 0. Other processes may use the same ones.
  DeviceClock(const ThrottleCosts& costs, std::span<std::atomic<int64_t>> words)
      : costs_(costs), words_(words) {}

  struct Request {
    bool writes;
    uint64_t file;  // any number that identifies the file
    int64_t offset, bytes;
    uint64_t client = 0;  // any number that identifies the client
  };
  // Reserves the devices for a request that a client makes at now_ns. Returns when it is done.
  int64_t reserve(const Request& request, int64_t now_ns);
  // Reserves the metadata server for an open or a remove. Returns when it is done.
  int64_t reserve_open(int64_t now_ns);

  // The most work that a device may have queued. A time line that is further in the future is left over from
  // before a reboot, and the device counts as free.
  static constexpr int64_t longest_backlog_ns = 3600'000'000'000;

 private:
  int64_t reserve_targets(const Request& request, int64_t now_ns);
  int64_t reserve_channel(int64_t target, const Request& request, int64_t now_ns);
  int64_t reserve_pipe(int64_t target, int64_t bytes, int64_t now_ns);
  // Takes the lock of a stripe. Returns when the client has it.
  int64_t lock_stripe(const Request& request, int64_t stripe, int64_t now_ns);
  std::atomic<int64_t>& word(int64_t target, int64_t index) const;
  std::span<std::atomic<int64_t>> lock_of(const Request& request, int64_t stripe) const;

  const ThrottleCosts costs_;
  const std::span<std::atomic<int64_t>> words_;
};

// The nanoseconds that bytes take at bytes_per_second. A rate of 0 is no limit, and gives 0.
int64_t transfer_ns(int64_t bytes, int64_t bytes_per_second);

// How many of the first `end` bytes of a file lie on `target`, if the file is striped over `targets` targets.
int64_t bytes_on_target(int64_t end, int64_t target, int64_t targets, int64_t stripe_bytes);

}  // namespace concilio::store
