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
  // The same of a call that was one request to storage, and of the request.
  void passed_on(const Call& call);
  // Requests to storage that moved so many bytes, the first of them first, and the time that all of them
  // took together. T has an `offset` and a `length`.
  template <typename T>
  void stored(Operation operation, int64_t start_ns, int64_t end_ns, std::span<const T> requests,
              int64_t moved_bytes) {
    const Moved moved = operation == Operation::read ? Moved::stored_read : Moved::stored_written;
    int64_t begin = INT64_MAX, end = 0, bytes = 0;
    std::lock_guard lock(mutex_);
    for (const T& request : requests) {
      const int64_t length = std::min<int64_t>(request.length, moved_bytes - bytes);
      if (length <= 0) break;
      begin = std::min<int64_t>(begin, request.offset);
      end = std::max<int64_t>(end, request.offset + length);
      bytes += length;
      count(moved, request.offset, length, 1);
    }
    Parts parts;
    parts.time[static_cast<size_t>(TimeOf::storage)] = end_ns - start_ns;
    add(parts, moved, bytes);
    add(parts, start_ns, end_ns, begin, end);
  }
  // A copy of the data, which no call changes meanwhile.
  ActivityData data();

 private:
  // What is added to the bins of a stretch of time and of a stretch of the file.
  struct Parts {
    Bins<times_count + moved_count>::Amounts time{};
    Bins<moved_count>::Amounts bytes{};
  };
  static void add(Parts& parts, Moved moved, int64_t bytes) {
    parts.time[times_count + static_cast<size_t>(moved)] = parts.bytes[static_cast<size_t>(moved)] = bytes;
  }
  Parts parts_of(const Call& call, Moved asked);
  void count(Moved moved, int64_t offset, int64_t length, int64_t like);
  // Without bytes, the stretch of the file does not matter.
  void add(const Parts& parts, int64_t start_ns, int64_t end_ns, int64_t begin, int64_t end);
  ActivityData& data_;
  const int64_t begin_ns_;
  std::mutex mutex_;
};

}  // namespace concilio
