#include "store/devices/device_clock.h"

#include <algorithm>
#include <cmath>

namespace concilio::store {

namespace {

// The first word is when the metadata server is free. Those of a target are when its pipe is free, then for
// each channel when it is free and where it was last.
constexpr int64_t words_of_server = 1, words_of_channel = 2;

// Behind them is a table of locks of stripes: of which stripe it is and who has it, and when its last write
// was over. Stripes that are so far apart in a file share a place, and the later one takes it, as if the
// first client had given its lock back meanwhile.
constexpr int64_t locks_in_table = 1 << 15, words_of_lock = 2;
constexpr int holder_bits = 24;
constexpr int64_t holder_mask = (int64_t{1} << holder_bits) - 1;
// Clients that read a stripe share its lock.
constexpr int64_t readers = 0;

// Spreads numbers that are close together over all bits.
uint64_t spread(uint64_t number) {
  number = (number ^ number >> 31) * 0x9e3779b97f4a7c15;
  return number ^ number >> 29;
}
int64_t holder_of(uint64_t client) {
  return (static_cast<int64_t>(spread(client)) & holder_mask) | 1;
}

int64_t start_of(int64_t free_ns, int64_t now_ns) {
  return free_ns > now_ns + DeviceClock::longest_backlog_ns ? now_ns : std::max(free_ns, now_ns);
}

// Of what serves one after another. Returns when it is done.
int64_t reserve_in_turn(std::atomic<int64_t>& free, int64_t cost_ns, int64_t now_ns) {
  int64_t free_ns = free.load(std::memory_order_relaxed), done_ns = 0;
  do {
    done_ns = start_of(free_ns, now_ns) + cost_ns;
  } while (!free.compare_exchange_weak(free_ns, done_ns));
  return done_ns;
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

int64_t DeviceClock::words_of_targets(const ThrottleCosts& costs) {
  return costs.targets * (1 + words_of_channel * costs.streams);
}

int64_t DeviceClock::words_of(const ThrottleCosts& costs) {
  const int64_t of_locks = costs.revoke_ns > 0 ? words_of_lock * locks_in_table : 0;
  return words_of_server + words_of_targets(costs) + of_locks;
}

std::atomic<int64_t>& DeviceClock::word(int64_t target, int64_t index) const {
  const int64_t of_target = 1 + words_of_channel * costs_.streams;
  return words_[static_cast<size_t>(words_of_server + target * of_target + index)];
}

std::span<std::atomic<int64_t>> DeviceClock::lock_of(const Request& request, int64_t stripe) const {
  const auto place =
      static_cast<int64_t>(spread(request.file) + static_cast<uint64_t>(stripe)) & (locks_in_table - 1);
  const int64_t first = words_of_server + words_of_targets(costs_) + words_of_lock * place;
  return words_.subspan(static_cast<size_t>(first), words_of_lock);
}

int64_t DeviceClock::reserve_open(int64_t now_ns) {
  if (costs_.opens_per_second == 0) return now_ns;
  return reserve_in_turn(words_[0], transfer_ns(1, costs_.opens_per_second), now_ns);
}

int64_t DeviceClock::reserve(const Request& request, int64_t now_ns) {
  if (costs_.revoke_ns == 0 || request.bytes == 0) return reserve_targets(request, now_ns);
  const int64_t first = request.offset / costs_.stripe_bytes,
                last = (request.offset + request.bytes - 1) / costs_.stripe_bytes;
  int64_t begin_ns = now_ns;
  for (int64_t stripe = first; stripe <= last; ++stripe)
    begin_ns = std::max(begin_ns, lock_stripe(request, stripe, now_ns));
  const int64_t done_ns = reserve_targets(request, begin_ns);
  if (!request.writes) return done_ns;
  for (int64_t stripe = first; stripe <= last; ++stripe)
    lock_of(request, stripe)[1].store(done_ns, std::memory_order_relaxed);
  return done_ns;
}

int64_t DeviceClock::lock_stripe(const Request& request, int64_t stripe, int64_t now_ns) {
  const auto lock = lock_of(request, stripe);
  const uint64_t name = spread(request.file ^ spread(static_cast<uint64_t>(stripe)));
  const auto of_stripe = static_cast<int64_t>(name) & ~holder_mask;
  const int64_t own = holder_of(request.client);
  int64_t found = lock[0].load(std::memory_order_relaxed), holder = readers;
  do {
    holder = (found & ~holder_mask) == of_stripe ? found & holder_mask : readers;
    if (holder == own) return now_ns;
  } while (!lock[0].compare_exchange_weak(found, of_stripe | (request.writes ? own : readers)));
  if (holder == readers) return now_ns;
  return start_of(lock[1].load(std::memory_order_relaxed), now_ns) + costs_.revoke_ns;
}

int64_t DeviceClock::reserve_targets(const Request& request, int64_t now_ns) {
  int64_t done_ns = now_ns;
  if (request.bytes == 0) return done_ns;
  const int64_t first = request.offset / costs_.stripe_bytes,
                last = (request.offset + request.bytes - 1) / costs_.stripe_bytes;
  for (int64_t i = 0; i < std::min(costs_.targets, last - first + 1); ++i) {
    const int64_t target = (first + i) % costs_.targets;
    Request part = request;
    if (costs_.targets > 1) {
      const auto before = [&](int64_t end) {
        return bytes_on_target(end, target, costs_.targets, costs_.stripe_bytes);
      };
      part.offset = before(request.offset);
      part.bytes = before(request.offset + request.bytes) - part.offset;
    }
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
  return reserve_in_turn(word(target, 0), transfer_ns(bytes, costs_.bytes_per_second), now_ns);
}

}  // namespace concilio::store
