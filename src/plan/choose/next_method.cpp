#include "plan/choose/next_method.h"

#include <algorithm>
#include <array>
#include <limits>

#include "plan/facts/logarithm.h"

namespace concilio::plan {
namespace {

// These numbers were found by replaying the measured calls of 240 situations (concilio study --only
// regret), for programs that make 3 to 1000 calls of a pattern.

// A price may be too high or too low by this factor.
constexpr double price_doubt = 2;
// Memory may be slower than the prices say by this factor.
constexpr double slowest_memory = 6;
// The time of two calls may be too high by this share; that of more calls by less.
constexpr double call_doubt = 0.3;
// A method is worth a trial only if it may be faster by more than this share.
constexpr double least_hope = 0.03;
// A trial's additional cost over a call of the fastest method may be this share of the time of all calls
// since another method than the fastest last ran, whichever that was. The first share is for methods that may
// be faster. The second, smaller one is for methods that have not run and whose price is too high to hope for
// that. The third is for methods that have run once and took too long for that, as the first call of a method
// may take many times as long as the next ones; this number is not from the replay.
constexpr double trial_share = 0.2, dear_trial_share = 0.05, second_trial_share = 0.02;
// The additional cost of a trial counts as at least this share of a call of the fastest method, as a trial
// may be disturbed.
constexpr double least_cost = 0.3;
// A method stays unless another takes this share less time.
constexpr double least_gain = 0.05;

class Expectations {
 public:
  Expectations(std::span<const Candidate> candidates, const Experience& experience)
      : candidates_(candidates), experience_(experience) {
    for (const Candidate& candidate : candidates)
      of(candidate) = experience.seconds(candidate.method).value_or(std::numeric_limits<double>::infinity());
    const double factor = price_factor();
    for (const Candidate& candidate : candidates) {
      if (calls(candidate) < 2) of(candidate) = std::min(of(candidate), candidate.predicted_seconds * factor);
    }
  }

  // The expected time of a call: the measured time, but with fewer than two calls at most the predicted one.
  double seconds(const Candidate& candidate) const { return seconds_[static_cast<size_t>(candidate.method)]; }

  // The time that it may take at best.
  double hoped_seconds(const Candidate& candidate) const {
    const auto known = static_cast<double>(std::max<int64_t>(1, calls(candidate) - 1));
    return seconds(candidate) / (calls(candidate) == 0 ? price_doubt : 1 + call_doubt / known);
  }

  int64_t calls(const Candidate& candidate) const { return experience_.calls(candidate.method); }

  // The fastest of the legal methods that have run; null if there is none.
  const Candidate* fastest() const {
    const Candidate* best = nullptr;
    for (const Candidate& candidate : candidates_) {
      if (!candidate.legal || calls(candidate) == 0) continue;
      if (best == nullptr || seconds(candidate) < seconds(*best)) best = &candidate;
    }
    if (best == nullptr) return nullptr;
    const Candidate& last = candidates_[static_cast<size_t>(*experience_.last())];
    const bool stays = last.legal && calls(last) > 1 && calls(*best) > 1 &&
                       seconds(*best) > (1 - least_gain) * seconds(last);
    return stays ? &last : best;
  }

  // The most promising of the methods that may be tried now; null if there is none.
  const Candidate* trial(const Candidate& fastest) const {
    const double least = seconds(fastest), spent = experience_.seconds_without_others(fastest.method);
    const Candidate* best = nullptr;
    for (const Candidate& candidate : candidates_) {
      if (!candidate.legal || candidate.method == fastest.method || is_outdone(candidate)) continue;
      const bool may_be_faster = hoped_seconds(candidate) < (1 - least_hope) * least;
      if (!may_be_faster && calls(candidate) > 1) continue;
      const double share = may_be_faster           ? trial_share
                           : calls(candidate) == 0 ? dear_trial_share
                                                   : second_trial_share;
      if (cost_of_trial(candidate, least) > share * spent) continue;
      if (best == nullptr || hoped_seconds(candidate) < hoped_seconds(*best)) best = &candidate;
    }
    return best;
  }

 private:
  // Whether it does all that a method does that has run, and so is no faster.
  bool is_outdone(const Candidate& candidate) const {
    return std::ranges::any_of(candidates_, [&](const Candidate& other) {
      return calls(other) > 0 && candidate.is_outdone_by(other.method);
    });
  }

  // What a trial may cost at worst beside a call of the fastest method, which takes `least`.
  double cost_of_trial(const Candidate& candidate, double least) const {
    const int64_t tried = calls(candidate);
    const double feared = seconds(candidate) * (tried == 0 ? price_doubt : 1);
    return std::max(feared - least, least_cost * least) * static_cast<double>(std::max<int64_t>(1, tried)) +
           (tried == 0 ? candidate.first_use_seconds : 0);
  }

  double& of(const Candidate& candidate) { return seconds_[static_cast<size_t>(candidate.method)]; }

  // The factor by which the times of methods that have not run are taken to differ from their prices: that of
  // the methods that have, as the mean. Where all took longer, memory may be slow, and the others will take
  // longer too. The more it is, the likelier only these methods' prices were too low, which says nothing
  // about the others and makes them all the more worth a trial.
  double price_factor() const {
    constexpr double least = 0.1, most = 1000;
    double sum = 0, count = 0;
    for (const Candidate& candidate : candidates_) {
      if (!candidate.legal || calls(candidate) < 2 || candidate.predicted_seconds <= 0) continue;
      sum += binary_logarithm(std::clamp(seconds(candidate) / candidate.predicted_seconds, least, most));
      ++count;
    }
    const double factor = count > 0 ? power_of_two(sum / count) : 1;
    if (factor <= slowest_memory) return factor;
    return std::max(1.0, slowest_memory * slowest_memory / factor);
  }

  std::span<const Candidate> candidates_;
  const Experience& experience_;
  // Computed once, since comparisons ask for it before every call.
  std::array<double, method_count> seconds_{};
};

Method cheapest_by_price(std::span<const Candidate> candidates) {
  const Candidate* best = nullptr;
  for (const Candidate& candidate : candidates) {
    if (candidate.legal && (best == nullptr || candidate.predicted_seconds < best->predicted_seconds))
      best = &candidate;
  }
  return best == nullptr ? Method::list : best->method;
}

}  // namespace

Method next_method(std::span<const Candidate> candidates, const Experience& experience) {
  const Expectations expectations(candidates, experience);
  const Candidate* fastest = expectations.fastest();
  if (fastest == nullptr) return cheapest_by_price(candidates);
  const Candidate* trial = expectations.trial(*fastest);
  return trial != nullptr ? trial->method : fastest->method;
}

}  // namespace concilio::plan
