// When, where and in which sizes a rank asked for bytes of one file, and what reached storage: the pictures
// of a report are drawn from this. It takes a fixed amount of memory, so it gets coarser the longer a run and
// the larger a file.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <string_view>

#include "base/activity/bins.h"
#include "base/activity/short_ones.h"
#include "base/operation.h"

namespace concilio {

// Bytes by who moved them and in which direction. The columns of `offsets`, and the last ones of `time`.
enum class Moved : size_t { asked_read, asked_written, stored_read, stored_written, count_ };
constexpr size_t moved_count = static_cast<size_t>(Moved::count_);
// The columns of `time` before those.
enum class TimeOf : size_t { calls, exchange, storage, count_ };
constexpr size_t times_count = static_cast<size_t>(TimeOf::count_);

// By powers of two. Entry i counts lengths of 2^i bytes and more, or offsets that 2^i divides; the last of
// the latter counts offset 0.
using Powers = std::array<int64_t, 64>;
using PowersOfMoved = std::array<Powers, moved_count>;

// Plain data, which `concilio run` reads wherever the rank has ended.
struct ActivityData {
  Bins<times_count + moved_count> time{20};  // nanoseconds since activity_begins()
  Bins<moved_count> offsets{12};             // bytes of the file
  PowersOfMoved lengths{}, alignments{};
};

// The name of a column as reports have it: "call_us", "stored_read".
std::string_view name_of_time_column(size_t column);
std::string_view name_of(Moved moved);

// The time of this process at which all times of activities begin: when MPI begins, which is about the same
// moment on all ranks, whatever their clocks show. The first call counts.
int64_t activity_begins();

// Adds to activity data, and never allocates. What is short is only noted (short_ones.h), and enters the bins
// when a quarter of a millisecond has passed, which is a part of the narrowest bin of time: recording is to
// take less than a hundredth of what it records. `alone`: no other thread of the rank adds meanwhile, so that
// no lock is needed, which would take longer than to note a call. Otherwise thread-safe, waiting for another
// thread of the rank alone.
class Activity {
 public:
  Activity(ActivityData& data, bool alone) : data_(data), alone_(alone), begin_ns_(activity_begins()) {}

  // A call of the program that moved so many bytes; none: a call that moved none, or failed. Times are of
  // now_ns(). place() has the `begin` and the `end` of the stretch of the file in which the bytes are.
  struct Call {
    Operation operation;
    int64_t start_ns, end_ns, exchange_ns, bytes;
  };
  template <typename Place>
  [[gnu::noinline]] void called(const Call& call, const Place& place) {
    const Lock lock(mutex_, alone_);
    const int64_t ns = call.end_ns - call.start_ns;
    const auto find = [&] {
      const auto found = place();
      return Stretch{found.begin, found.end};
    };
    if (ns >= long_ns || call.bytes >= ShortOnes::end_bytes)
      return enter_call(call, call.bytes > 0 ? find() : Stretch{});
    if (call.bytes > 0) short_ones_.add(call.operation, Kind::asked, call.bytes, find);
    at(short_ns_, TimeOf::calls) += ns;
    at(short_ns_, TimeOf::exchange) += call.exchange_ns;
    enter_short_ones_if_due(call.end_ns);
  }

  // Calls that were one request to storage each. Of such that are shorter than ShortOnes::end_bytes many may
  // come before one that is timed, and stands for so many of them, itself among them.
  void passed_on(Operation operation, int64_t offset, int64_t bytes) {
    if (bytes <= 0) return;
    const Lock lock(mutex_, alone_);
    note(operation, Kind::both, offset, bytes);
  }
  void passed_on(const Call& call, int64_t offset, int64_t stands_for);

  // Requests to storage that moved so many bytes, the first of them first, and the time that all of them
  // took together. T has an `offset` and a `length`.
  template <typename T>
  [[gnu::noinline]] void stored(Operation operation, int64_t start_ns, int64_t end_ns,
                                std::span<const T> requests, int64_t moved_bytes) {
    const Lock lock(mutex_, alone_);
    const bool is_long = end_ns - start_ns >= long_ns || moved_bytes >= ShortOnes::end_bytes;
    Stretch all{INT64_MAX, 0};
    int64_t bytes = 0;
    for (const T& request : requests) {
      const int64_t length = std::min<int64_t>(request.length, moved_bytes - bytes);
      if (length <= 0) break;
      bytes += length;
      if (is_long) {
        all = {std::min<int64_t>(all.begin, request.offset),
               std::max<int64_t>(all.end, request.offset + length)};
        count(operation, Kind::stored, request.offset, length);
      } else {
        note(operation, Kind::stored, request.offset, length);
      }
    }
    if (is_long) return enter_requests(operation, start_ns, end_ns, all, bytes);
    at(short_ns_, TimeOf::storage) += end_ns - start_ns;
    enter_short_ones_if_due(end_ns);
  }

  // A copy of the data, which no call changes meanwhile. `now_ns`: the time of the last call.
  ActivityData data(int64_t now_ns);

 private:
  using Stretch = ShortOnes::Stretch;
  using Kind = ShortOnes::Kind;
  using Times = std::array<int64_t, times_count>;
  using AmountsOfTime = Bins<times_count + moved_count>::Amounts;
  // To enter something takes about a two-hundredth of this.
  static constexpr int64_t long_ns = 50'000, most_between_ns = 250'000;

  class Lock {
   public:
    Lock(std::mutex& mutex, bool alone) : mutex_(alone ? nullptr : &mutex) {
      if (mutex_ != nullptr) mutex_->lock();
    }
    ~Lock() {
      if (mutex_ != nullptr) mutex_->unlock();
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    std::mutex* mutex_;
  };
  static int64_t& at(Times& times, TimeOf part) { return times[static_cast<size_t>(part)]; }
  void note(Operation operation, ShortOnes::Kind kind, int64_t offset, int64_t bytes) {
    short_ones_.add(operation, kind, bytes, [&] { return Stretch{offset, offset + bytes}; });
  }
  void enter_short_ones_if_due(int64_t now_ns) {
    if (now_ns - entered_ns_ >= most_between_ns) enter_short_ones(now_ns);
  }
  void enter_short_ones(int64_t now_ns);
  void enter_call(const Call& call, const Stretch& where);
  void enter_requests(Operation operation, int64_t start_ns, int64_t end_ns, const Stretch& where,
                      int64_t bytes);
  void count(Operation operation, Kind kind, int64_t offset, int64_t length);
  // The bins of a stretch of the file get so many bytes, and the amounts of a stretch of time.
  void add_bytes(Operation operation, Kind kind, const Stretch& where, int64_t bytes, AmountsOfTime& amounts);
  void add(int64_t start_ns, int64_t end_ns, const AmountsOfTime& amounts);

  ActivityData& data_;
  const bool alone_;
  const int64_t begin_ns_;
  ShortOnes short_ones_;
  Times short_ns_{};  // how long they took
  int64_t entered_ns_ = INT64_MIN / 2;
  std::mutex mutex_;
};

}  // namespace concilio
