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

// Adds to activity data. Thread-safe; never allocates, and waits for another thread of the rank alone.
class Activity {
 public:
  explicit Activity(ActivityData& data) : data_(data), begin_ns_(activity_begins()) {}

  // A call of the program that moved so many bytes of [begin, end), or, as `like` many calls did that were
  // not timed, a part of them. Times are of now_ns(). No bytes: a call that moved none, or failed.
  struct Call {
    Operation operation;
    int64_t start_ns, end_ns, exchange_ns;
    int64_t begin, end, bytes;
    int64_t like = 1;
  };
  void called(const Call& call);
  // Requests to storage, the time of which all of them took together. T has an `offset` and a `length`.
  template <typename T>
  void stored(Operation operation, int64_t start_ns, int64_t end_ns, std::span<const T> requests,
              int64_t like = 1) {
    if (requests.empty()) return;
    const Moved moved = operation == Operation::read ? Moved::stored_read : Moved::stored_written;
    int64_t begin = INT64_MAX, end = 0, bytes = 0;
    std::lock_guard lock(mutex_);
    for (const T& request : requests) {
      begin = std::min<int64_t>(begin, request.offset);
      end = std::max<int64_t>(end, request.offset + request.length);
      bytes += request.length;
      count(moved, request.offset, request.length, like);
    }
    add(moved, TimeOf::storage, start_ns, end_ns, 0, {begin, end, bytes}, like);
  }
  // A copy of the data, which no call changes meanwhile.
  ActivityData data();

 private:
  struct Stretch {
    int64_t begin, end, bytes;
  };
  void count(Moved moved, int64_t offset, int64_t length, int64_t like);
  void add(Moved moved, TimeOf time, int64_t start_ns, int64_t end_ns, int64_t exchange_ns,
           const Stretch& stretch, int64_t like);
  ActivityData& data_;
  const int64_t begin_ns_;
  std::mutex mutex_;
};

}  // namespace concilio
