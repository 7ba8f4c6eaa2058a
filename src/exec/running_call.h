// One call on an open file while it is carried out: what it is to move, and how its writes keep clear of
// others.
#pragma once

#include "exec/open_file.h"
#include "pattern/copy.h"

namespace concilio {

class WriteBehind;

// How the plain writes of a call keep out of the way of whoever rewrites (exec/locks/rewriting.h).
enum class WriteGuard {
  announced,  // on the node's board; where that has no room, by a lock
  locked,     // by a lock on the range of each
  held,       // they need nothing: the call holds a lock on all that it touches
};

// A value of each call's own, passed down. A step that goes on by other rules makes a copy that says so.
struct RunningCall {
  const OpenFile& opened;
  WriteGuard guard = opened.locks_every_write() ? WriteGuard::locked : WriteGuard::announced;
  WriteBehind* behind = nullptr;  // windows go there, not to the file

  // The same by a rank that holds a lock on all that it touches.
  RunningCall holding_lock() const { return {opened, WriteGuard::held, behind}; }
};

// Data [0, bytes) of `memory`, and data [position, position + bytes) of `file`.
struct Request {
  Operation operation;
  const Access* memory;
  std::byte* buffer;  // that memory's offsets count from
  const Access* file;
  int64_t position;
  int64_t bytes;
  // A call that stages its data (mpiio/staged.h) makes several requests: what that takes of the memory limit,
  // and whether another of them comes after this one.
  int64_t staging_bytes = 0;
  bool more = false;

  Side memory_side(int64_t at) const { return {memory, at, buffer, 0}; }
  Interval bounds() const { return file->bounds(position, position + bytes); }
};

// Bytes transferred. Reads stop at end of file; what lies behind it in the buffer stays untouched.
using Outcome = Result<int64_t>;

}  // namespace concilio
