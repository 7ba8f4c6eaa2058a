#include "store/devices/device_clock.h"

#include <algorithm>
#include <cmath>

namespace concilio::store {

namespace {

// The words of a target are when its pipe is free, then for each channel when it is free and where it was
// last.
constexpr int64_t words_of_channel = 2;

int64_t start_of(int64_t free_ns, int64_t now_ns) {
  return free_ns > now_ns + DeviceClock::longest_backlog_ns ? now_ns : std::max(free_ns, now_ns);
}

}  // namespace

int64_t transfer_ns(int64_t bytes, int64_t bytes_per_second) {
  if (bytes_per_second <= 0) return 0;
  // In floating point, since bytes times 10^9 may not fit 64 bits. Bounded to days, since sums must fit.
  const double ns = static_cast<double>(bytes) * 1e9 / static_cast<double>(bytes_per_second);
  return std::llround(std::min(ns, 1e15));
}

int64_t bytes_on_target(int64_t end, int64_t target, int64_t targets, int64_t stripe_bytes) {
  const int64_t stripes = end / stripe_bytes;
  const int64_t whole = stripes / targets + (stripes % targets > target ? 1 : 0);
  return whole * stripe_bytes + (stripes % targets == target ? end % stripe_bytes : 0);
}

int64_t DeviceClock::words_of(const ThrottleCosts& costs) {
  return costs.targets * (1 + words_of_channel * costs.streams);
}

std::atomic<int64_t>& DeviceClock::word(int64_t target, int64_t index) const {
  return words_[static_cast<size_t>(target * (1 + words_of_channel * costs_.streams) + index)];
}

int64_t DeviceClock::reserve(const Request& request, int64_t now_ns) {
  int64_t done_ns = now_ns;
  for (int64_t target = 0; target < costs_.targets; ++target) {
    Request part = request;
    if (costs_.targets > 1) {
      const auto before = [&](int64_t end) {
        return bytes_on_target(end, target, costs_.targets, costs_.stripe_bytes);
      };
      part.offset = before(request.offset);
      part.bytes = before(request.offset + request.bytes) - part.offset;
    }
    if (part.bytes == 0) continue;
    done_ns =
        std::max({done_ns, reserve_channel(target, part, now_ns), reserve_pipe(target, part.bytes, now_ns)});
  }
  return done_ns;
}

int64_t DeviceClock::reserve_channel(int64_t target, const Request& request, int64_t now_ns) {
  const int64_t cost_ns = costs_.request_ns + transfer_ns(request.bytes, costs_.bytes_per_second);
  const int64_t seek_ns = request.writes ? costs_.write_seek_ns : costs_.read_seek_ns;
  // One number stands for file and offset. Those of different files are hardly ever the same.
  const auto place = static_cast<int64_t>(request.file + static_cast<uint64_t>(request.offset));
  const auto end = static_cast<int64_t>(static_cast<uint64_t>(place) + static_cast<uint64_t>(request.bytes));
  for (;;) {
    int64_t chosen = 0, chosen_free_ns = 0, done_ns = INT64_MAX;
    for (int64_t index = 1; index < 1 + words_of_channel * costs_.streams; index += words_of_channel) {
      const int64_t free_ns = word(target, index).load(std::memory_order_relaxed);
      const bool adjoins = word(target, index + 1).load(std::memory_order_relaxed) == place;
      const int64_t its_ns = start_of(free_ns, now_ns) + cost_ns + (adjoins ? 0 : seek_ns);
      if (its_ns >= done_ns) continue;
      chosen = index;
      chosen_free_ns = free_ns;
      done_ns = its_ns;
    }
    if (!word(target, chosen).compare_exchange_strong(chosen_free_ns, done_ns)) continue;
    // Another process may take the channel between these two steps, and pay for a seek too many. That is very
    // rare.
    word(target, chosen + 1).store(end, std::memory_order_relaxed);
    return done_ns;
  }
}

int64_t DeviceClock::reserve_pipe(int64_t target, int64_t bytes, int64_t now_ns) {
  const int64_t cost_ns = transfer_ns(bytes, costs_.bytes_per_second);
  std::atomic<int64_t>& pipe = word(target, 0);
  int64_t free_ns = pipe.load(std::memory_order_relaxed), done_ns = 0;
  do {
    done_ns = start_of(free_ns, now_ns) + cost_ns;
  } while (!pipe.compare_exchange_weak(free_ns, done_ns));
  return done_ns;
}

}  // namespace concilio::store
