#include "summary/call_time.h"

#include <algorithm>
#include <numeric>

namespace concilio::tools {

namespace {

double seconds_in(const RankTimes& times, Counter counter) {
  const auto place = std::ranges::find(RankTimes::counters, counter) - RankTimes::counters.begin();
  return static_cast<double>(times.ns[static_cast<size_t>(place)]) * 1e-9;
}

}  // namespace

CallTime call_time_of(const FileRecord& file) {
  CallTime time;
  time.seconds = static_cast<double>(file.slowest[Counter::call_ns]) * 1e-9;
  const auto part = [&](PartOfCalls one) -> double& { return time.parts[static_cast<size_t>(one)]; };
  part(PartOfCalls::storage) = seconds_in(file.slowest_rank, Counter::storage_ns);
  part(PartOfCalls::waiting) = seconds_in(file.slowest_rank, Counter::exchange_ns);
  part(PartOfCalls::copying) = seconds_in(file.slowest_rank, Counter::copy_ns);
  part(PartOfCalls::planning) = seconds_in(file.slowest_rank, Counter::plan_ns);
  part(PartOfCalls::unended) = file.unended_seconds;
  const double known = std::accumulate(time.parts.begin(), time.parts.end(), 0.0);
  part(PartOfCalls::other) = std::max(0.0, time.seconds - known);
  // An aggregator's storage works while its rank exchanges the next window. Waiting is what is left.
  double too_much = std::max(0.0, known - time.seconds);
  for (const PartOfCalls one : {PartOfCalls::waiting, PartOfCalls::storage, PartOfCalls::copying,
                                PartOfCalls::planning, PartOfCalls::unended}) {
    const double less = std::min(part(one), too_much);
    part(one) -= less;
    too_much -= less;
  }
  return time;
}

}  // namespace concilio::tools
