#include "plan/facts/experience.h"

#include <algorithm>

namespace concilio::plan {

int64_t Experience::OfMethod::remembered() const {
  return calls <= 1 ? calls : std::min(calls - 1, most_remembered);
}

void Experience::add(Method method, double seconds) {
  state_.last = method;
  ++state_.calls;
  state_.total_seconds += seconds;
  OfMethod& took = state_.methods[static_cast<size_t>(method)];
  const int64_t forgotten = took.calls > 0 ? 1 : 0;
  took.seconds[static_cast<size_t>((took.calls - forgotten) % most_remembered)] = seconds;
  ++took.calls;
  took.last_at_seconds = state_.total_seconds;
}

double Experience::seconds_without_others(Method method) const {
  double since = state_.total_seconds;
  for (size_t i = 0; i < method_count; ++i) {
    if (static_cast<Method>(i) != method && state_.methods[i].calls > 0)
      since = std::min(since, seconds_since(static_cast<Method>(i)));
  }
  return since;
}

std::optional<double> Experience::seconds(Method method) const {
  const OfMethod& took = of(method);
  if (took.calls == 0) return std::nullopt;
  std::array<double, most_remembered> sorted = took.seconds;
  const auto end = sorted.begin() + took.remembered();
  const auto quartile = sorted.begin() + (took.remembered() - 1) / 4;
  std::nth_element(sorted.begin(), quartile, end);
  return *quartile;
}

}  // namespace concilio::plan
