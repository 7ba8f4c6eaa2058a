// The first meeting of the ranks in every collective call on an open file. It has one form for all calls:
// ranks that are in different calls all find that out here, before they go different ways.
#pragma once

#include "base/result.h"
#include "exec/apart.h"
#include "mpi/nodes/team.h"
#include "plan/facts/digest.h"

namespace concilio::exec {

// Ranks may be together in calls of one kind, whether these block, are nonblocking or are split.
enum class CallKind : int64_t {
  read,
  write,
  read_ordered,
  write_ordered,
  set_view,
  set_size,
  preallocate,
  sync,
  set_info,
  set_atomicity,
  seek_shared,
  close,
  set_method,
  set_realms,
};
inline CallKind kind_of(Operation operation) {
  return operation == Operation::read ? CallKind::read : CallKind::write;
}

// What ranks tell each other of a call's arguments when they enter it, and then what all have told.
struct Terms {
  int64_t least = 0, most = 0;  // of a number that each rank gives
  uint64_t flags = 0;           // those that any rank sets
  mpi::Failure failure{};       // of what a rank has prepared
};

// All ranks come, and tell each other of the calls that they have made apart. If they are in calls of
// different kinds, or have made different calls before, all of them get the error kind not_same; nothing has
// happened then, and the next call finds the file as it was. Error kind not_yet: as Team::first_allreduce.
// After a meeting of any kind but set_view the ranks make no more calls apart, until they agree to.
Status enter(mpi::Team& team, CallKind kind, Apart& apart);
// The same; `digest` also becomes that of all ranks together.
Status enter(mpi::Team& team, CallKind kind, Apart& apart, plan::Digest& digest);
// The same with `terms`. `mine` is how this rank's preparations ended; if those of any rank failed, all ranks
// get its error.
Status enter(mpi::Team& team, CallKind kind, Apart& apart, Terms& terms, const Status& mine);

}  // namespace concilio::exec
