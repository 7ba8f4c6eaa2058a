#include "plan/experience.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "plan/plan.h"

namespace concilio {
namespace {

// So many calls find out what the prices leave open.
constexpr int64_t first_calls = 3;
// A price may be wrong by so much: what costs more by price than this times the best is not among the first
// that are tried, the second and the third.
constexpr double trial_factors[] = {2.5, 1.5};
// A pattern's first call may take so many times as long as later ones.
constexpr double cold_factor = 5;
// One call may be disturbed by so much: who was no slower than this times the fastest gets a second one, if
// it is among so many calls, and later where it costs little.
constexpr double doubt_factor = 1.5;
constexpr int64_t doubtful_calls = 6;
// A measured time is not taken to be off by more than this.
constexpr double most_off = 2;
// A method stays unless another took so much less, doubled with every change after the first calls.
constexpr double least_gain = 0.1, most_gain = 0.4;
// What later trials may cost, of all time so far.
constexpr double trial_share = 0.1;

// How prices compare with what calls took, as far as all are wrong alike.
double wrong_by(std::span<const Candidate> candidates, const Experience& experience) {
  constexpr double most = 10;
  double sum = 0, count = 0;
  for (const Candidate& candidate : candidates) {
    const auto took = experience.seconds(candidate.method);
    if (!candidate.legal || !took || *took <= 0 || candidate.seconds <= 0) continue;
    sum += std::log(std::clamp(*took / candidate.seconds, 1 / most, most));
    ++count;
  }
  return count > 0 ? std::exp(sum / count) : 1;
}

// What a method is expected to take: what it took, and as long as that is one or two calls, which may have
// been disturbed, a little nearer to its price.
double expected_seconds(const Candidate& candidate, double wrong_by, const Experience& experience) {
  const double price = candidate.seconds * wrong_by;
  const auto took = experience.seconds(candidate.method);
  if (!took) return price;
  if (*took <= 0) return *took;
  const double share = 1 / static_cast<double>(experience.calls(candidate.method) + 1);
  return *took * std::pow(std::clamp(price / *took, 1 / most_off, most_off), share);
}

// Of those that have run, or of those that have not.
const Candidate* cheapest(std::span<const Candidate> candidates, const Experience& experience, bool tried) {
  const double wrong = tried ? wrong_by(candidates, experience) : 1;
  const Candidate* best = nullptr;
  double least = 0;
  for (const Candidate& candidate : candidates) {
    if (!candidate.legal || (experience.calls(candidate.method) > 0) != tried) continue;
    const double seconds = tried ? expected_seconds(candidate, wrong, experience) : candidate.seconds;
    if (best != nullptr && seconds >= least) continue;
    best = &candidate;
    least = seconds;
  }
  return best;
}

int64_t methods_tried(std::span<const Candidate> candidates, const Experience& experience) {
  return std::count_if(candidates.begin(), candidates.end(), [&](const Candidate& candidate) {
    return candidate.legal && experience.calls(candidate.method) > 0;
  });
}

// What is tried in the first calls after the very first one; nothing where the prices leave nothing open.
std::optional<Method> first_trial(std::span<const Candidate> candidates, const Candidate& fastest,
                                  const Experience& experience) {
  const int64_t tried = methods_tried(candidates, experience);
  const double least = *experience.seconds(fastest.method);
  // The very first call pays for much besides: what took it gets another.
  if (tried > 1) {
    for (const Candidate& candidate : candidates) {
      if (candidate.legal && experience.only_cold(candidate.method) &&
          *experience.seconds(candidate.method) <= cold_factor * least)
        return candidate.method;
    }
  }
  const Candidate* untried = cheapest(candidates, experience, false);
  if (untried == nullptr || tried > static_cast<int64_t>(std::size(trial_factors))) return std::nullopt;
  // A call that took longer than its price makes others worth trying, one that took less does not.
  const double warm = experience.only_cold(fastest.method) ? least / cold_factor : least;
  if (untried->seconds <= trial_factors[tried - 1] * std::max(fastest.seconds, warm)) return untried->method;
  return std::nullopt;
}

// What is tried later: what one call has not decided on, soon; and where it costs little of all that has been
// spent since, what has not run, or might be faster than it was.
std::optional<Method> later_trial(std::span<const Candidate> candidates, const Candidate& fastest,
                                  const Experience& experience) {
  const double wrong = wrong_by(candidates, experience);
  const double least = expected_seconds(fastest, wrong, experience);
  for (const Candidate& candidate : candidates) {
    if (!candidate.legal || candidate.method == fastest.method) continue;
    const int64_t calls = experience.calls(candidate.method);
    const double seconds = expected_seconds(candidate, wrong, experience);
    // A method's first call pays for its buffers: what is as cheap by price gets a second one too.
    const bool cheap = candidate.seconds <= doubt_factor * fastest.seconds && seconds <= cold_factor * least;
    if (calls == 1 && experience.calls() < doubtful_calls && (cheap || seconds <= doubt_factor * least))
      return candidate.method;
    if (calls > 0 && seconds > doubt_factor * least) continue;
    // The more often it was tried in vain, the longer it waits.
    const double affordable = trial_share * experience.seconds_since(candidate.method);
    if (seconds * static_cast<double>(std::max<int64_t>(1, calls)) <= affordable) return candidate.method;
  }
  return std::nullopt;
}

}  // namespace

void Experience::add(Method method, double seconds) {
  if (state_.calls == 0) state_.first = method;
  if (state_.calls > 0 && method != state_.last) ++state_.changes;
  state_.last = method;
  ++state_.calls;
  state_.total_seconds += seconds;
  OfMethod& took = state_.methods[static_cast<size_t>(method)];
  // The first call of all counts no longer once its method has a faster one.
  if (method == state_.first && took.calls == 1) took.seconds[0] = std::min(took.seconds[0], seconds);
  took.seconds[static_cast<size_t>(took.calls % remembered_calls)] = seconds;
  ++took.calls;
  took.last_at_seconds = state_.total_seconds;
}

std::optional<double> Experience::seconds(Method method) const {
  const OfMethod& took = of(method);
  if (took.calls == 0) return std::nullopt;
  std::array<double, remembered_calls> sorted = took.seconds;
  for (int64_t i = took.calls; i < remembered_calls; ++i)
    sorted[static_cast<size_t>(i)] = std::numeric_limits<double>::infinity();
  std::sort(sorted.begin(), sorted.end());
  return sorted[took.calls > 2 ? 1 : 0];
}

Method next_method(std::span<const Candidate> candidates, const Experience& experience) {
  const Candidate* fastest = cheapest(candidates, experience, true);
  if (fastest == nullptr) {
    const Candidate* untried = cheapest(candidates, experience, false);
    return untried == nullptr ? Method::list : untried->method;
  }
  const bool first = experience.calls() < first_calls;
  const auto trial =
      first ? first_trial(candidates, *fastest, experience) : later_trial(candidates, *fastest, experience);
  if (trial) return *trial;

  const auto last = *experience.last();
  const auto& current = candidates[static_cast<size_t>(last)];
  if (first || !current.legal || last == fastest->method) return fastest->method;
  // A trial that did not win is no reason to stay.
  if (experience.calls(last) <= 2) return fastest->method;
  const int64_t later_changes =
      std::max<int64_t>(0, experience.changes() - 2 * methods_tried(candidates, experience));
  double gain = least_gain;
  for (int64_t i = 0; i < later_changes && gain < most_gain; ++i) gain *= 2;
  const double wrong = wrong_by(candidates, experience);
  const double least = expected_seconds(*fastest, wrong, experience);
  return least < (1 - std::min(gain, most_gain)) * expected_seconds(current, wrong, experience)
             ? fastest->method
             : last;
}

}  // namespace concilio
