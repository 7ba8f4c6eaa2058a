// Counters of what happened. Each rank counts for each file; when the file is closed, the counts are summed
// or maximised over its ranks.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "base/waiting.h"

namespace concilio {

enum class Counter : int {
  independent_reads,  // calls of the program
  independent_writes,
  collective_reads,
  collective_writes,
  bytes_read,  // the program's bytes
  bytes_written,
  gaps_read,  // between the pieces of the file that independent calls asked for
  gaps_written,
  device_calls,         // calls of the program whose buffer was in the memory of a GPU
  device_bytes,         // the program's bytes that these moved
  device_direct_bytes,  // those of them that storage exchanged with the GPU itself
  failed_calls,         // calls of any kind that returned an error
// method_NAME: calls of the program that took this method
#define METHOD(name, ranks, writes, summary) method_##name,
#include "base/methods.def"
  plans_made,
  plans_reused,
  calls_apart,  // collective calls made without meeting other ranks
  meetings,     // of the ranks of a node, in calls of any kind
  rounds,
  storage_opens,  // requests to storage
  storage_reads,
  storage_writes,
  storage_bytes_read,  // bytes asked of storage; sieving read the excess over bytes_read
  storage_bytes_written,
  windows_whole,  // how windows reached the file
  windows_rmw,
  windows_list,
  windows_batch,
  messages_sent,
  message_bytes_sent,
  locks_taken,
  plan_ns,      // time, in nanoseconds
  exchange_ns,  // waiting for ranks, messages between nodes
  copy_ns,
  storage_ns,        // in calls that read or write
  storage_other_ns,  // in others: MPI_File_open, MPI_File_sync, MPI_File_close, ...
  call_ns,           // the whole of the program's calls
  count_,
};

inline constexpr int counter_count = static_cast<int>(Counter::count_);

// The name as it stands in reports, e.g. "storage_bytes_read".
const char* counter_name(Counter counter);

// A number that several threads may add to at once.
class Tally {
 public:
  Tally() = default;
  Tally(const Tally& other) : value_(other) {}
  Tally& operator=(const Tally& other) { return *this = static_cast<int64_t>(other); }
  Tally& operator=(int64_t value) {
    value_.store(value, std::memory_order_relaxed);
    return *this;
  }
  operator int64_t() const { return value_.load(std::memory_order_relaxed); }
  void operator+=(int64_t more) { value_.fetch_add(more, std::memory_order_relaxed); }
  void operator++() { *this += 1; }
  // The same as +=, for a caller that knows that no other thread adds meanwhile. It costs a fraction.
  void add_alone(int64_t more) { *this = *this + more; }

 private:
  std::atomic<int64_t> value_{0};
};

struct Counters {
  std::array<Tally, counter_count> values{};
  Tally& operator[](Counter counter) { return values[static_cast<size_t>(counter)]; }
  int64_t operator[](Counter counter) const { return values[static_cast<size_t>(counter)]; }
};

// Adds the time between its construction and stop(), or else its destruction, to a counter.
class Stopwatch {
 public:
  Stopwatch(Counters& counters, Counter counter)
      : counters_(counters), counter_(counter), start_ns_(now_ns()) {}
  ~Stopwatch() {
    if (!stopped_) stop();
  }
  int64_t start_ns() const { return start_ns_; }
  // Returns the end of the time.
  int64_t stop() {
    const int64_t end_ns = now_ns();
    counters_[counter_] += end_ns - start_ns_;
    stopped_ = true;
    return end_ns;
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  Counters& counters_;
  Counter counter_;
  int64_t start_ns_;
  bool stopped_ = false;
};

// Says which calls of a series are timed, where some are so short that asking for the time would be a good
// part of them. After a short call, one in 17 is timed, and its time stands for those before it too. Access
// patterns have powers of two, so another number might hit the beginning of every page. Thread-safe: threads
// that come at the same time make the sum a little less exact, and no more.
class Sampling {
 public:
  // For how many calls the time of the next one, of so many bytes, stands; 0: it is not to be timed.
  int64_t next(int64_t bytes) {
    if (bytes >= long_bytes) return 1;
    const int64_t before = untimed_;
    if (before < most_untimed_) {
      untimed_ = before + 1;
      return 0;
    }
    untimed_ = 0;
    return before + 1;
  }
  // The call of so many bytes took so long.
  void took(int64_t bytes, int64_t ns) {
    if (bytes >= long_bytes) return;  // says nothing of the others
    constexpr int64_t short_ns = 5000;
    last_ns_ = ns;
    most_untimed_ = ns < short_ns ? 16 : 0;
  }
  // What the calls took for whose time none stands, as the last of all that were timed.
  int64_t take_rest_ns() {
    const int64_t untimed = untimed_;
    untimed_ = 0;
    return untimed * last_ns_;
  }

 private:
  // Copying so much takes long by itself. Such a call stands for no other, and none stands for it.
  static constexpr int64_t long_bytes = 64 << 10;
  Tally untimed_, most_untimed_, last_ns_;
};

}  // namespace concilio
