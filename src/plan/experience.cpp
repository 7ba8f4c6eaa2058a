#include "plan/experience.h"

#include <algorithm>

#include "plan/plan.h"

namespace concilio {
namespace {

// A price may be wrong by so much: what costs more by price than this times the best is not among the first
// that are tried, the second and the third.
constexpr double trial_factors[] = {2.5, 1.5};
constexpr int64_t first_trials = 2;
// A pattern's first call may take so many times as long as later ones.
constexpr double cold_factor = 5;
// One call may be disturbed by so much: who was no slower than this times the fastest gets a second one.
constexpr double doubt_factor = 1.3;
// A method stays unless another took so much less, doubled with every change after the first trials.
constexpr double least_gain = 0.05, most_gain = 0.4;
// What later trials may cost, of all time so far.
constexpr double trial_share = 0.1;

const Candidate* cheapest(std::span<const Candidate> candidates, const Experience& experience, bool tried) {
  const Candidate* best = nullptr;
  for (const Candidate& candidate : candidates) {
    if (!candidate.legal || (experience.calls(candidate.method) > 0) != tried) continue;
    const double seconds = tried ? *experience.seconds(candidate.method) : candidate.seconds;
    if (best == nullptr) {
      best = &candidate;
      continue;
    }
    const double least = tried ? *experience.seconds(best->method) : best->seconds;
    if (seconds < least) best = &candidate;
  }
  return best;
}

int64_t methods_tried(std::span<const Candidate> candidates, const Experience& experience) {
  return std::count_if(candidates.begin(), candidates.end(), [&](const Candidate& candidate) {
    return candidate.legal && experience.calls(candidate.method) > 0;
  });
}

// Whether `untried` should have its first call now.
bool worth_a_trial(const Candidate& untried, const Candidate& fastest, int64_t tried,
                   const Experience& experience) {
  const double measured = *experience.seconds(fastest.method);
  // A call that took longer than its price makes others worth trying, one that took less does not.
  const double warm = experience.only_cold(fastest.method) ? measured / cold_factor : measured;
  if (tried <= first_trials && untried.seconds <= trial_factors[tried - 1] * std::max(fastest.seconds, warm))
    return true;
  const double wrong_by = fastest.seconds > 0 ? measured / fastest.seconds : 1;
  return untried.seconds * wrong_by <= trial_share * experience.total_seconds();
}

// A method that one call has not decided on, the one of the pattern's very first call before others.
std::optional<Method> needs_second_call(std::span<const Candidate> candidates, double least,
                                        const Experience& experience) {
  std::optional<Method> doubtful;
  for (const Candidate& candidate : candidates) {
    if (!candidate.legal || experience.calls(candidate.method) != 1) continue;
    const bool cold = experience.only_cold(candidate.method);
    if (*experience.seconds(candidate.method) > (cold ? cold_factor : doubt_factor) * least) continue;
    if (cold) return candidate.method;
    if (!doubtful) doubtful = candidate.method;
  }
  return doubtful;
}

}  // namespace

void Experience::add(Method method, double seconds) {
  if (state_.calls == 0) state_.first = method;
  if (state_.calls > 0 && method != state_.last) ++state_.changes;
  state_.last = method;
  ++state_.calls;
  state_.total_seconds += seconds;
  OfMethod& took = state_.methods[static_cast<size_t>(method)];
  // The first call of all says nothing any more once its method has another.
  if (method == state_.first && took.calls == 1) took.seconds[0] = seconds;
  took.seconds[static_cast<size_t>(took.calls % remembered_calls)] = seconds;
  ++took.calls;
}

std::optional<double> Experience::seconds(Method method) const {
  const OfMethod& took = of(method);
  if (took.calls == 0) return std::nullopt;
  const auto known = std::min<int64_t>(took.calls, remembered_calls);
  return *std::min_element(took.seconds.begin(), took.seconds.begin() + known);
}

Method next_method(std::span<const Candidate> candidates, const Experience& experience) {
  const Candidate* untried = cheapest(candidates, experience, false);
  const Candidate* fastest = cheapest(candidates, experience, true);
  if (fastest == nullptr) return untried == nullptr ? Method::list : untried->method;
  const int64_t tried = methods_tried(candidates, experience);
  if (untried != nullptr && worth_a_trial(*untried, *fastest, tried, experience)) return untried->method;

  const double least = *experience.seconds(fastest->method);
  if (const auto doubtful = needs_second_call(candidates, least, experience); doubtful && tried > 1)
    return *doubtful;

  const auto last = *experience.last();
  const auto& current = candidates[static_cast<size_t>(last)];
  if (!current.legal || last == fastest->method) return fastest->method;
  // The first trials come and go: tried methods and as many second calls.
  const int64_t later_changes = std::max<int64_t>(0, experience.changes() - 2 * tried);
  double gain = least_gain;
  for (int64_t i = 0; i < later_changes && gain < most_gain; ++i) gain *= 2;
  const bool settled = experience.calls(last) > 2;
  return !settled || least < (1 - std::min(gain, most_gain)) * *experience.seconds(last) ? fastest->method
                                                                                         : last;
}

}  // namespace concilio
