// Agreement between ranks. If any rank fails, all ranks return the error of the lowest rank that failed.
// Ranks can also check that all of them were called with the same arguments.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/exceptions.h"
#include "mpi/nodes/team.h"

namespace concilio::mpi {

// Whether any rank failed, and which is the lowest that did. This is plain data, so it can travel alone or as
// a part of a reduction that is made anyway. The text of the error travels only if there is a failure.
struct Failure {
  int64_t rank = INT64_MAX;  // no rank failed
  int64_t kind = 0, system_errno = 0;

  explicit operator bool() const { return rank != INT64_MAX; }
};
inline Failure combine(const Failure& a, const Failure& b) {
  return a.rank <= b.rank ? a : b;
}
Failure failure_of(const Team& team, const Status& mine);

// The failing rank's error, on every rank; its text begins with that rank's number. Collective over the team,
// and all ranks pass the same `failure`. Returns the team's own failure if the team fails.
Error shared_error(Team& team, const Failure& failure, const Status& mine);

// The error of the lowest rank that has one, on every rank; or success if no rank has one. Collective over
// the team. Returns the team's own failure if the team fails.
Status agree(Team& team, const Status& mine);

// Changes something on all ranks or on none. prepare() returns this rank's Status; it does all that may fail,
// and changes nothing that others see. If all ranks are prepared, each of them calls change(), which cannot
// fail. Collective over the team. Returns what agree() returns.
template <typename Prepare, typename Change>
Status all_or_none(Team& team, const Prepare& prepare, const Change& change) {
  static_assert(noexcept(change()));
  if (Status prepared = agree(team, without_exceptions(prepare)); !prepared) return prepared;
  change();
  return {};
}

// The smallest and the largest value that any rank gave, for each of `count` numbers.
template <size_t count>
struct Extremes {
  int64_t least[count], most[count];

  bool same() const { return std::equal(least, least + count, most); }
};
template <size_t count>
Extremes<count> combine(Extremes<count> a, const Extremes<count>& b) {
  for (size_t i = 0; i < count; ++i) {
    a.least[i] = std::min(a.least[i], b.least[i]);
    a.most[i] = std::max(a.most[i], b.most[i]);
  }
  return a;
}
// Checks that all ranks give the same numbers. If they do not, every rank returns an error of kind not_same
// with the text `different`. Collective over the team. Returns the team's own failure if the team fails.
template <size_t count>
Status agree_on(Team& team, const int64_t (&mine)[count], const char* different) {
  Extremes<count> all;
  std::copy(mine, mine + count, all.least);
  std::copy(mine, mine + count, all.most);
  if (!team.allreduce(all)) return team.failure();
  if (all.same()) return {};
  return error_with(ErrorKind::not_same, 0, [&] { return std::string(different); });
}

}  // namespace concilio::mpi
