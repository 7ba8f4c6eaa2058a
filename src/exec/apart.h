// Collective calls that the ranks make apart, without meeting. Where patterns repeat and every rank carries
// out its own requests, the ranks need nothing of each other, and a meeting may cost more than the call. So
// they meet in some of the calls only: after each meeting that found a pattern repeated they make more
// calls apart, 1, 3, 7, up to 63 or as many as take a millisecond, before they meet again; fewer where calls
// are so long that the others would hear of a rank's error late. Every rank counts alike, so all of them know
// which call is the next meeting. A call of another kind, a read after writes for example, begins with a
// meeting too. If it repeats an earlier one of its operation, it ends without another, and the run of that
// operation goes on. MPI_File_set_view, which some libraries call before each access, is one that does not
// end the run of calls apart; it suspends the run as long as the views are not those of the repeated calls.
// An ordered access does not end the run of its operation either: once the ranks have met and found their
// places, each does its part, as in a call apart.
//
// An error in a call that was made apart is returned by that call on its own rank. The others learn of it
// when the ranks next meet, and return it from the next call that moves data, syncs or closes.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/exceptions.h"
#include "base/operation.h"
#include "exec/call/run_length.h"
#include "mpi/nodes/agree.h"

namespace concilio::exec {

class Apart {
 public:
  // What ranks tell of their calls apart when they meet.
  struct Told {
    int64_t least_calls, most_calls;  // since the last meeting; the same number, or ranks made other calls
    mpi::Failure failure;             // of a call made apart
    int64_t failed_ranks;             // that have such a failure
  };

  // Whether the next call is made apart if it is of this operation. The same on all ranks. It changes only
  // within collective calls; other threads may ask, and learn what was so a moment ago.
  bool next(Operation operation) const {
    return runs_.load(std::memory_order_relaxed) && left(operation).load(std::memory_order_relaxed) > 0 &&
           operation_.load(std::memory_order_relaxed) == operation &&
           !suspended_.load(std::memory_order_relaxed);
  }
  // Whether a call of this operation, in which the ranks have met, may end without another meeting, if it
  // repeats an earlier one. The same on all ranks. Errors that all ranks know of are told at the end of a
  // call.
  bool may_end(Operation operation) const {
    return !failure_ && left(operation).load(std::memory_order_relaxed) > 0;
  }
  // Whether an ordered call of this operation, in which the ranks have met and found their places, goes on as
  // the next call made apart. The same on all ranks.
  bool goes_on(Operation operation) const { return next(operation) && may_end(operation); }
  // The operation of the run of calls apart, and of the calls that it repeats.
  Operation operation() const { return operation_.load(std::memory_order_relaxed); }
  // This rank has made a call apart, with this outcome.
  void made(const Status& mine) {
    std::atomic<int64_t>& its = left(operation());
    its.store(its.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    ++calls_;
    ++calls_passed_[static_cast<size_t>(operation())];
    if (mine || !untold_) return;
    const Error& error = mine.error();
    untold_ = error_with(error.kind, error.system_errno,
                         [&] { return error.message + " (in an earlier call, made without meeting)"; });
  }

  Told telling(const mpi::Team& team) const { return {calls_, calls_, failure_of(team, untold_), !untold_}; }
  // All ranks have met. Errors that every rank has returned already need not be told.
  void met(const mpi::Team& team, const Told& all) {
    calls_ = 0;
    if (!failure_ && all.failed_ranks == team.size())
      untold_ = {};
    else
      failure_ = combine(failure_, all.failure);
  }
  // Whether there is an error that all ranks know of and no call has returned on all of them.
  bool has_to_tell() const { return static_cast<bool>(failure_); }
  // How many calls of this operation were made apart, or ended so, since this was last asked.
  int64_t take_calls_passed(Operation operation) {
    return std::exchange(calls_passed_[static_cast<size_t>(operation)], 0);
  }
  // The first error of calls apart that all ranks know of and no call has returned on all of them; then it is
  // forgotten. Collective over the team, after a meeting; the same outcome on all ranks.
  Status tell(mpi::Team& team) {
    if (!failure_) return {};
    const Status mine = std::exchange(untold_, {});
    return shared_error(team, std::exchange(failure_, {}), mine);
  }

  // The ranks have met and found that they are in different calls, or have made different ones apart.
  void disagreed() { disagreed_ = true; }
  // Whether they have since this was last asked. The same on all ranks.
  bool take_disagreed() { return std::exchange(disagreed_, false); }
  // The ranks meet at the beginning of the next call.
  void stop() { runs_.store(false, std::memory_order_relaxed); }
  // And at its end.
  void forget() {
    stop();
    for (auto& its : left_) its.store(0, std::memory_order_relaxed);
  }
  // A call of this operation, in which the ranks have met, ends without another meeting on this rank, with
  // this outcome. The next ones are made apart.
  void end(Operation operation, const Status& mine) {
    run(operation);
    made(mine);
  }
  // The ranks have met and changed their views. Calls are made apart only while every rank's view looks as in
  // the calls that they repeat: the methods of those may not suit others.
  void views_changed(bool alike) { suspended_.store(!alike, std::memory_order_relaxed); }
  // A call in which the ranks have met is at its end. If all have found that nothing is new, and a call takes
  // all of them together so many seconds, they make the next calls of its operation apart, as many as take
  // `longest_seconds` at most.
  void part(Operation operation, std::optional<double> seconds, double longest_seconds) {
    const int64_t length = lengths_[static_cast<size_t>(operation)].after_meeting(seconds, longest_seconds);
    left(operation).store(length, std::memory_order_relaxed);
    run(operation);
  }

 private:
  std::atomic<int64_t>& left(Operation operation) { return left_[static_cast<size_t>(operation)]; }
  const std::atomic<int64_t>& left(Operation operation) const {
    return left_[static_cast<size_t>(operation)];
  }
  void run(Operation operation) {
    operation_.store(operation, std::memory_order_relaxed);
    suspended_.store(false, std::memory_order_relaxed);
    runs_.store(true, std::memory_order_relaxed);
  }

  std::atomic<bool> runs_ = false;  // calls of operation_ are made apart, if some are left
  std::atomic<Operation> operation_ = Operation::read;
  std::atomic<bool> suspended_ = false;
  // By operation: how many more calls are made apart, or end so.
  std::array<std::atomic<int64_t>, 2> left_{};
  std::array<RunLength, 2> lengths_;
  int64_t calls_ = 0;  // since the last meeting
  std::array<int64_t, 2> calls_passed_{};
  bool disagreed_ = false;
  Status untold_;         // this rank's first error that it has not told
  mpi::Failure failure_;  // the first one that all ranks know of
};

inline Apart::Told combine(const Apart::Told& a, const Apart::Told& b) {
  return {std::min(a.least_calls, b.least_calls), std::max(a.most_calls, b.most_calls),
          combine(a.failure, b.failure), a.failed_ranks + b.failed_ranks};
}

}  // namespace concilio::exec
