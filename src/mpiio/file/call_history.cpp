#include "mpiio/file/call_history.h"

#include <algorithm>

namespace concilio::mpiio {

void CallHistory::remember(Operation operation, bool collective, const plan::Plan& plan,
                           const std::shared_ptr<const plan::Plan>& lasting) {
  std::lock_guard lock(mutex_);
  Last& last = lasts_[static_cast<size_t>(operation)][collective];
  if (!lasting || lasting != last.plan) {
    last.plan.reset();
    find_place(operation, collective, plan, last.place);
    last.plan = lasting;
  }
  ++all_[last.place].calls;
  last_ = last.place;
  last_one_stretch_.store(-1, std::memory_order_relaxed);
}

// Sets `place` to where calls with this plan are counted, and notes the plan there.
void CallHistory::find_place(Operation operation, bool collective, const plan::Plan& plan, size_t& place) {
  const auto is_theirs = [&](const CallsAlike& alike) {
    if (alike.operation != operation || alike.collective != collective) return false;
    return alike.various ? alike.reason.grounds.method == plan.method
                         : alike.reason.grounds == plan.reason.grounds;
  };
  // Most calls repeat the last one.
  if (place >= all_.size() || all_[place].various || !is_theirs(all_[place])) {
    // The entries of calls on the same grounds stand before those of calls on various grounds.
    place = static_cast<size_t>(std::ranges::find_if(all_, is_theirs) - all_.begin());
    // A program with many different calls has many grounds. Beyond this number, calls are counted by method
    // alone.
    constexpr size_t most_grounds = 64;
    if (place == all_.size()) all_.push_back({operation, collective, place >= most_grounds, 0, {}, {}});
  }
  all_[place].reason = plan.reason;
  all_[place].candidates = plan.candidates;
}

CallsAlike CallHistory::of_one_stretch(size_t kind) const {
  const plan::Plan& plan = plan::plan_of_one_stretch();
  const bool collective = kind % 2 != 0;
  return {
      static_cast<Operation>(kind / 2), collective, false, one_stretch_[kind], plan.reason, plan.candidates};
}

std::vector<CallsAlike> CallHistory::all() const {
  std::lock_guard lock(mutex_);
  std::vector<CallsAlike> all = all_;
  for (size_t kind = 0; kind < one_stretch_.size(); ++kind) {
    if (one_stretch_[kind] > 0) all.push_back(of_one_stretch(kind));
  }
  return all;
}

std::optional<CallsAlike> CallHistory::last() const {
  std::lock_guard lock(mutex_);
  const int one_stretch = last_one_stretch_.load(std::memory_order_relaxed);
  if (one_stretch >= 0) return of_one_stretch(static_cast<size_t>(one_stretch));
  return last_ ? std::optional(all_[*last_]) : std::nullopt;
}

}  // namespace concilio::mpiio
