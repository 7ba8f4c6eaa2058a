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

// Adds to activity data, and never allocates. What is short is only noted (short_ones.h). It enters the bins
// when a quarter of a millisecond has passed since the last entry, which is a part of the narrowest bin of
// time, and after a pause, or with a call that is long, as of the time when it was noted: recording is to
// take less than a hundredth of what it records. `alone`: no other thread of the rank adds meanwhile, so that
// no lock is needed, which would take longer than to note a call. Otherwise thread-safe, waiting for another
// thread of the rank alone.
class Activity {
 public:
  Activity(ActivityData& data, bool alone) : data_(data), alone_(alone), begin_ns_(activity_begins()) {}

  // A call of the program that moved so many bytes of [begin, end); none: a call that moved none, or failed.
  // Times are of now_ns().
  struct Call {
    Operation operation;
    int64_t start_ns, end_ns, exchange_ns;
    int64_t begin, end, bytes;
  };
  [[gnu::noinline]] void called(const Call& call) {
    const int64_t ns = call.end_ns - call.start_ns;
    if (ns >= long_ns || call.bytes >= ShortOnes::end_bytes) return enter_call(call);
    const Lock lock(mutex_, alone_);
    enter_earlier(call.start_ns);
    if (call.bytes > 0) note(call.operation, Kind::asked, call.bytes, {call.begin, call.end});
    at(short_ns_, TimeOf::calls) += ns;
    at(short_ns_, TimeOf::exchange) += call.exchange_ns;
    enter_short_ones_if_due(call.end_ns);
  }

  // Calls that were one request to storage each. Of such that are shorter than ShortOnes::end_bytes many may
  // come before one that is timed, and stands for so many of them, itself among them.
  void passed_on(Operation operation, int64_t offset, int64_t bytes) {
    const Lock lock(mutex_, alone_);
    join_run(operation, offset, bytes);
  }
  void passed_on(const Call& call, int64_t stands_for);

  // Requests to storage that moved so many bytes, the first of them first, and the time that all of them
  // took together. T has an `offset` and a `length`.
  template <typename T>
  [[gnu::noinline]] void stored(Operation operation, int64_t start_ns, int64_t end_ns,
                                std::span<const T> requests, int64_t moved_bytes) {
    const int64_t ns = end_ns - start_ns;
    if (ns >= long_ns || moved_bytes >= ShortOnes::end_bytes)
      return enter_requests(operation, start_ns, end_ns, requests, moved_bytes);
    const Lock lock(mutex_, alone_);
    enter_earlier(start_ns);
    for_each_moved_by(requests, moved_bytes, [&](int64_t offset, int64_t bytes) {
      note(operation, Kind::stored, bytes, {offset, offset + bytes});
    });
    at(short_ns_, TimeOf::storage) += ns;
    enter_short_ones_if_due(end_ns);
  }

  // What was noted enters the bins. `now_ns`: the time of what was not timed.
  void enter_rest(int64_t now_ns);
  // A copy of the data with all that was noted, which no call changes meanwhile.
  ActivityData data(int64_t now_ns);

 private:
  using Stretch = ShortOnes::Stretch;
  using Kind = ShortOnes::Kind;
  using Times = std::array<int64_t, times_count>;
  using AmountsOfTime = Bins<times_count + moved_count>::Amounts;
  // To enter a call takes about a two-hundredth of this.
  static constexpr int64_t long_ns = 50'000;
  static constexpr int64_t most_between_ns = 250'000;
  static constexpr int64_t never = INT64_MIN / 2;

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
  // Calls use(offset, bytes) for the requests that moved these bytes.
  template <typename T, typename Use>
  static void for_each_moved_by(std::span<const T> requests, int64_t moved_bytes, const Use& use) {
    for (const T& request : requests) {
      if (moved_bytes <= 0) break;
      const int64_t bytes = std::min<int64_t>(request.length, moved_bytes);
      if (bytes <= 0) continue;
      moved_bytes -= bytes;
      use(request.offset, bytes);
    }
  }
  // Calls that were passed on one after another, in one direction and with equally many bytes. To notice that
  // one more is like them takes half of what it takes to note it.
  struct Run {
    Operation operation = Operation::read;
    int64_t bytes = 0, number = 0;
    int64_t first = 0, last = 0;  // offsets
  };
  void join_run(Operation operation, int64_t offset, int64_t bytes) {
    if (bytes != run_.bytes || operation != run_.operation) {
      note_run();
      run_ = {operation, bytes, 0, offset, offset};
    }
    run_.number += 1;
    run_.last = offset;
  }
  void note_run();
  // The width of the bins of the file.
  int64_t near() const { return int64_t{1} << data_.offsets.range().shift; }
  void note(Operation operation, Kind kind, int64_t bytes, const Stretch& where) {
    short_ones_.add(operation, kind, 1, bytes, where, where.begin, near());
  }
  bool has_noted() const { return noted_ns_ != never; }
  // What was noted before a pause enters where it was.
  void enter_earlier(int64_t start_ns) {
    if (has_noted() && start_ns - noted_ns_ >= most_between_ns) enter_short_ones(noted_ns_);
  }
  void enter_short_ones_if_due(int64_t now_ns) {
    noted_ns_ = now_ns;
    if (now_ns - entered_ns_ >= most_between_ns) enter_short_ones(now_ns);
  }
  void enter_short_ones(int64_t now_ns);
  void enter_call(const Call& call);
  template <typename T>
  [[gnu::noinline]] void enter_requests(Operation operation, int64_t start_ns, int64_t end_ns,
                                        std::span<const T> requests, int64_t moved_bytes) {
    const Lock lock(mutex_, alone_);
    if (has_noted()) enter_short_ones(noted_ns_);
    Stretch all{INT64_MAX, 0};
    for_each_moved_by(requests, moved_bytes, [&](int64_t offset, int64_t bytes) {
      all = {std::min(all.begin, offset), std::max(all.end, offset + bytes)};
      count(operation, Kind::stored, offset, bytes);
    });
    AmountsOfTime amounts{0, 0, end_ns - start_ns};
    if (all.end > all.begin) add_bytes(operation, Kind::stored, all, moved_bytes, amounts);
    add(start_ns, end_ns, amounts);
  }
  void count(Operation operation, Kind kind, int64_t offset, int64_t length);
  // The bins of a stretch of the file get so many bytes, and the amounts of a stretch of time.
  void add_bytes(Operation operation, Kind kind, const Stretch& where, int64_t bytes, AmountsOfTime& amounts);
  void add(int64_t start_ns, int64_t end_ns, const AmountsOfTime& amounts);

  ActivityData& data_;
  const bool alone_;
  const int64_t begin_ns_;
  ShortOnes short_ones_;
  Run run_;
  Times short_ns_{};  // how long they took
  // When short ones last entered the bins, and the end of the last one that was timed and noted since.
  int64_t entered_ns_ = never, noted_ns_ = never;
  std::mutex mutex_;
};

}  // namespace concilio
