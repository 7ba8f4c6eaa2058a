// The first meeting of every collective call on an open file, of one form whatever the call: so that ranks
// that are in different calls find it out, all of them, before they go different ways.
#pragma once

#include "base/result.h"
#include "mpi/nodes/team.h"
#include "plan/facts/digest.h"

namespace concilio {

// Calls of one kind go together, whether they block, return early or are split.
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

// All ranks come. Kind not_same, on all of them, where they are in calls of different kinds: then nothing has
// happened, and the next call finds the file as it was. Kind not_yet: as Team::first_allreduce.
Status enter(Team& team, CallKind kind);
// The same, and `digest` becomes that of all ranks together.
Status enter(Team& team, CallKind kind, Digest& digest);

}  // namespace concilio
