// When, where and in which sizes a rank asked for bytes of one file, and what reached storage: the pictures
// of a report are drawn from this. It takes a fixed amount of memory, so it gets coarser the longer a run and
// the larger a file.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <string_view>

#include "base/activity/bins.h"
#include "base/activity/short_ones.h"
#include "base/activity/time_allowance.h"
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
  Bins<times_count + moved_count> time{first_time_shift};  // nanoseconds since activity_begins()
  Bins<moved_count> offsets{first_offsets_shift};          // bytes of the file
  PowersOfMoved lengths{}, alignments{};
  int64_t left_out = 0;  // calls of the program that were told like others

  // Forgets all, in less time the less there is.
  void clear() {
    if (time.range().used == 0 && offsets.range().used == 0) return;
    time.clear(first_time_shift);
    offsets.clear(first_offsets_shift);
    lengths = alignments = {};
    left_out = 0;
  }
  static constexpr int64_t first_time_shift = 20, first_offsets_shift = 12;
};

// The name of a column as reports have it: "call_us", "stored_read".
std::string_view name_of_time_column(size_t column);
std::string_view name_of(Moved moved);

// The time of this process at which all times of activities begin: when MPI begins, which is about the same
// moment on all ranks, whatever their clocks show. The first call counts.
int64_t activity_begins();
// What this process may take, from then on, to record calls; and to tell of files that are closed, which
// calls must not use up. Where ranks are simulated, all it needs.
TimeAllowance& recording_allowance();
TimeAllowance& closing_allowance();

// Adds to activity data, and never allocates. What is short is only noted (short_ones.h). It enters the bins
// when a quarter of a millisecond has passed since the last entry, which is a part of the narrowest bin of
// time, and after a pause, or with a call that is long, as of the time when it was noted: recording is to
// take less than a hundredth of what it records. Calls and requests for which the allowance has no time are
// left out: their number, bytes and times are added up, and told as if they were like the next one of their
// kind that is noted, and lay between that and the one before. Some of each kind are noted in any case.
// `alone`: no other thread of the rank adds meanwhile, so that no lock is needed, which would take longer
// than to note a call. Otherwise thread-safe, waiting for another thread of the rank alone.
class Activity {
 public:
  Activity(ActivityData& data, TimeAllowance& allowance)
      : data_(data), begin_ns_(activity_begins()), allowance_(allowance) {}
  // Begins anew, as of a file that has just been opened.
  void begin(bool alone);

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
    allowance_.spend(note_price_ns);
    asked_ns_ = call.end_ns;
    enter_earlier(call.start_ns);
    if (call.bytes > 0) note(call.operation, Kind::asked, call.bytes, {call.begin, call.end});
    at(short_, TimeOf::calls) += ns;
    at(short_, TimeOf::exchange) += call.exchange_ns;
    enter_short_ones_if_due(call.end_ns);
  }

  // The same without where the call's bytes are, which takes time to find out: true if there is no time to
  // record it as called() does, so that it was left out.
  bool leaves_out(Operation operation, int64_t start_ns, int64_t end_ns, int64_t exchange_ns, int64_t bytes) {
    if (end_ns >= asked_until_ns_)
      return leaves_out_after_a_look(operation, start_ns, end_ns, exchange_ns, bytes);
    leave_out(operation, Kind::asked, bytes);
    at(short_, TimeOf::calls) += end_ns - start_ns;
    at(short_, TimeOf::exchange) += exchange_ns;
    noted_ns_ = end_ns;
    return true;
  }

  // Calls that were one request to storage each. Of such that are shorter than ShortOnes::end_bytes many may
  // come before one that is timed, and stands for so many of them, itself among them.
  void passed_on(Operation operation, int64_t offset, int64_t bytes) {
    if (!alone_ || bytes != run_.bytes || operation != run_.operation) [[unlikely]]
      return join_run_apart(operation, offset, bytes);
    run_.number += 1;
    run_.last = offset;
  }
  void passed_on(const Call& call, int64_t stands_for);

  // Requests to storage that moved so many bytes, the first of them first, and the time that all of them
  // took together. T has an `offset` and a `length`.
  template <typename T>
  void stored(Operation operation, int64_t start_ns, int64_t end_ns, std::span<const T> requests,
              int64_t moved_bytes) {
    if (end_ns >= stored_until_ns_) return note_requests(operation, start_ns, end_ns, requests, moved_bytes);
    leave_out(operation, Kind::stored, moved_bytes, static_cast<int64_t>(requests.size()));
    at(short_, TimeOf::storage) += end_ns - start_ns;
  }

  // What was noted enters the bins. `now_ns`: the time of what was not timed.
  void enter_rest(int64_t now_ns);
  // A copy of the data with all that was noted, which no call changes meanwhile.
  ActivityData data(int64_t now_ns);

 private:
  using Stretch = ShortOnes::Stretch;
  using Kind = ShortOnes::Kind;
  using AmountsOfTime = Bins<times_count + moved_count>::Amounts;
  // What it takes to note a call or a request, to enter a long one, and to enter all that was noted: the
  // instructions that docs/testing.md tells, at four a nanosecond. To note one counts twice: where short
  // calls come one after another, to leave out the others takes as much again.
  static constexpr int64_t note_price_ns = 80, enter_price_ns = 150, enter_all_price_ns = 400;
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
  // Threads set and read it without a lock.
  struct Flag {
    std::atomic<bool> value = true;
    operator bool() const { return value.load(std::memory_order_relaxed); }
    void operator=(bool now) { value.store(now, std::memory_order_relaxed); }
  };
  static int64_t& at(AmountsOfTime& amounts, TimeOf part) { return amounts[static_cast<size_t>(part)]; }
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
      if (!has_time_ && run_.number > 0) return leave_out(operation, Kind::both, bytes);
      note_run();
      run_ = {operation, bytes, 0, offset, offset};
    }
    run_.number += 1;
    run_.last = offset;
  }
  void join_run_apart(Operation operation, int64_t offset, int64_t bytes);
  void note_run();
  // What was left out since the last one of its kind that was noted.
  struct LeftOut {
    int64_t number = 0, bytes = 0;
    int64_t place = 0, length = 0;  // of that one; of length 0: none was noted
    int64_t spacing = 0;            // of those that were left out before that, as far as it is known
  };
  LeftOut& left_out(Kind kind, Operation operation) {
    return left_out_[static_cast<size_t>(kind) * 2 + static_cast<size_t>(operation)];
  }
  // One is noted, after those that were left out.
  void comes_after_left_out(Operation operation, Kind kind, int64_t place, int64_t length) {
    LeftOut& left = left_out(kind, operation);
    if (left.number > 0) [[unlikely]]
      tell_left_out(operation, kind, place, length);
    left.place = place;
    left.length = length;
  }
  void tell_rest_left_out();
  void tell_left_out(Operation operation, Kind kind, int64_t place, int64_t length);
  void leave_out(Operation operation, Kind kind, int64_t bytes, int64_t number = 1) {
    if (bytes <= 0) return;
    LeftOut& left = left_out(kind, operation);
    left.number += number;
    left.bytes += bytes;
  }
  // So many of one kind are noted in any case after a while, which is so long that it is no matter.
  static bool is_due(int64_t noted_ns, int64_t now_ns, int64_t number = 1) {
    return now_ns - noted_ns >= due_ns(number);
  }
  static constexpr int64_t due_ns(int64_t number = 1) {
    return most_between_ns + 200 * note_price_ns * number;
  }
  // Until then there is no time for one whose kind was noted then, and it is not due. For most of those that
  // are left out, this is the only look: of a loop of such calls, every other one takes a good part.
  int64_t left_out_until_ns(int64_t noted_ns) const {
    return alone_ ? std::min(allowance_.covers_from_ns(), noted_ns + due_ns()) : never;
  }
  [[gnu::noinline]] bool leaves_out_after_a_look(Operation operation, int64_t start_ns, int64_t end_ns,
                                                 int64_t exchange_ns, int64_t bytes);
  // The width of the bins of the file.
  int64_t near() const { return int64_t{1} << data_.offsets.range().shift; }
  void note(Operation operation, Kind kind, int64_t bytes, const Stretch& where) {
    comes_after_left_out(operation, kind, where.begin, bytes);
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
  [[gnu::noinline]] void note_requests(Operation operation, int64_t start_ns, int64_t end_ns,
                                       std::span<const T> requests, int64_t moved_bytes) {
    const int64_t ns = end_ns - start_ns, number = static_cast<int64_t>(requests.size());
    has_time_ = allowance_.covers(end_ns);
    if (!has_time_ && !is_due(stored_ns_, end_ns, number)) {
      const Lock lock(mutex_, alone_);
      enter_earlier(start_ns);
      leave_out(operation, Kind::stored, moved_bytes, number);
      at(short_, TimeOf::storage) += ns;
      stored_until_ns_ = left_out_until_ns(stored_ns_);
      return enter_short_ones_if_due(end_ns);
    }
    stored_ns_ = end_ns;
    if (ns >= long_ns || moved_bytes >= ShortOnes::end_bytes)
      return enter_requests(operation, start_ns, end_ns, requests, moved_bytes);
    const Lock lock(mutex_, alone_);
    allowance_.spend(note_price_ns * number);
    enter_earlier(start_ns);
    for_each_moved_by(requests, moved_bytes, [&](int64_t offset, int64_t bytes) {
      note(operation, Kind::stored, bytes, {offset, offset + bytes});
    });
    at(short_, TimeOf::storage) += ns;
    enter_short_ones_if_due(end_ns);
  }
  template <typename T>
  [[gnu::noinline]] void enter_requests(Operation operation, int64_t start_ns, int64_t end_ns,
                                        std::span<const T> requests, int64_t moved_bytes) {
    const Lock lock(mutex_, alone_);
    allowance_.spend(enter_price_ns + note_price_ns * static_cast<int64_t>(requests.size()));
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
  bool alone_ = false;
  const int64_t begin_ns_;
  TimeAllowance& allowance_;
  // Looked at without the lock: then it does not matter which call comes first.
  template <typename T>
  class Relaxed {
   public:
    Relaxed(T value) : value_(value) {}
    operator T() const { return value_.load(std::memory_order_relaxed); }
    T operator=(T value) {
      value_.store(value, std::memory_order_relaxed);
      return value;
    }

   private:
    std::atomic<T> value_;
  };
  Relaxed<bool> has_time_ = true;      // for those that are not timed
  std::array<LeftOut, 6> left_out_{};  // by kind and operation
  ShortOnes short_ones_;
  Run run_;
  AmountsOfTime short_{};  // how long they took, and the bytes of those that were left out
  // When short ones last entered the bins, and the end of the last one that was timed and noted since.
  int64_t entered_ns_ = never, noted_ns_ = never;
  Relaxed<int64_t> asked_ns_ = never, stored_ns_ = never;  // when the last one of its kind was noted singly
  Relaxed<int64_t> asked_until_ns_ = never, stored_until_ns_ = never;  // what ends before is left out
  std::mutex mutex_;
};

}  // namespace concilio
