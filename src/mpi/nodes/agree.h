// What one rank could not do is the error of all: of the lowest rank that failed. And whether all ranks came
// with the same arguments.
#pragma once

#include <cstdint>
#include <string>

#include "mpi/nodes/team.h"

namespace concilio {

// Whether any rank failed, and the lowest that did: plain data, which travels alone or within what ranks
// exchange anyway. The words travel only where there is a failure.
struct Failure {
  int64_t rank = INT64_MAX;  // nobody's
  int64_t kind = 0, system_errno = 0;

  explicit operator bool() const { return rank != INT64_MAX; }
};
inline Failure combine(const Failure& a, const Failure& b) {
  return a.rank <= b.rank ? a : b;
}
Failure failure_of(const Team& team, const Status& mine);

// The failing rank's error on every rank, with its number before the words. Collective over the team, with
// the same `failure`; the team's own failure where it fails.
Error shared_error(Team& team, const Failure& failure, const Status& mine);

// The error of the lowest rank that has one, on every rank, or none. Collective over the team; fails as it
// does.
Status agree(Team& team, const Status& mine);

// What the ranks came with, in one number or a few: the smallest and the largest of all.
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
// Whether all ranks give the same numbers: kind not_same, and `different` as the words, on all ranks where
// they do not. Collective over the team; fails as it does.
template <size_t count>
Status agree_on(Team& team, const int64_t (&mine)[count], const char* different) {
  Extremes<count> all;
  std::copy(mine, mine + count, all.least);
  std::copy(mine, mine + count, all.most);
  if (!team.allreduce(all)) return team.failure();
  if (all.same()) return {};
  return error_with(ErrorKind::not_same, 0, [&] { return std::string(different); });
}

}  // namespace concilio
