#include "mpiio/call_history.h"

#include <fmt/format.h>

#include <string_view>

namespace concilio::mpiio {

namespace {
ConsideredAll considered(const Plan& plan) {
  ConsideredAll all;
  for (const Candidate& one : plan.candidates) {
    all.methods[all.count++] = {one.method,  one.legal, one.method == plan.method,
                                one.seconds, one.calls, one.measured_seconds};
  }
  return all;
}

// The reason without the times in parentheses at its end, which differ from call to call.
std::string_view without_times(std::string_view reason) {
  return reason.substr(0, reason.rfind(" ("));
}
}  // namespace

void CallHistory::remember(Operation operation, bool collective, const Plan& plan) {
  // A program with many different calls has many reasons. Beyond this number, reasons are counted by method
  // alone.
  constexpr size_t most_reasons = 64;
  std::lock_guard lock(mutex_);
  if (last_.reason != plan.reason) {
    last_.method = method_name(plan.method);
    last_.reason = plan.reason;
  }
  last_.candidates = considered(plan);
  Reason*& last = last_reason_[static_cast<size_t>(operation)][collective];
  const bool same_words = last && last->reason == plan.reason;  // always so for small requests
  if (!same_words && (!last || without_times(last->reason) != without_times(plan.reason))) {
    std::string reason = plan.reason;
    auto key = [&] {
      return fmt::format("{} {} {}", static_cast<int>(operation), collective, without_times(reason));
    };
    if (reasons_.size() >= most_reasons && !reasons_.contains(key())) {
      reason = fmt::format("{}: for further reasons of the same kind", method_name(plan.method));
    }
    auto [place, fresh] = reasons_.try_emplace(key());
    if (fresh) place->second = {operation, collective, method_name(plan.method), reason, 0, {}};
    last = &place->second;
  }
  // The reason that is kept contains the times of the last call.
  if (!same_words && without_times(last->reason) == without_times(plan.reason)) last->reason = plan.reason;
  last->candidates = last_.candidates;
  ++last->calls;
}

}  // namespace concilio::mpiio
