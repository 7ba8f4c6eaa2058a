// One call on an open file while it is carried out: which data it moves, and how its writes keep clear of
// those of others.
#pragma once

#include "base/waiting.h"
#include "exec/call/device_link.h"
#include "exec/call/open_file.h"
#include "pattern/copy.h"

namespace concilio::exec {

class WriteBehind;

// How the plain writes of a call keep out of the way of ranks that rewrite (exec/locks/rewriting.h).
enum class WriteGuard {
  announced,  // on the node's board, or by a lock if somebody is rewriting
  locked,     // each write locks its range
  noticed,    // the writes need nothing more: they and what the call rewrites lie apart, and all who could
              // be writing besides have been told by a RewriteNotice on every node
  held,       // the writes need nothing more: the call holds a lock on all that it touches
};

// Each call has its own and passes it down. A step that follows other rules works with a changed copy.
struct RunningCall {
  const OpenFile& opened;
  WriteGuard guard = opened.locks_every_write() ? WriteGuard::locked : WriteGuard::announced;
  WriteBehind* behind = nullptr;  // if set, windows are written there and not to the file

  // Whether windows with holes may be rewritten, as far as all ranks know.
  bool may_rewrite_holes() const {
    return opened.may_rewrite_holes() && (!opened.rewrites_by_notice() || guard == WriteGuard::noticed);
  }
  // The same call for a rank that holds a lock on all that it touches.
  RunningCall holding_lock() const { return {opened, WriteGuard::held, behind}; }
};

// Told which of a request's data a read has found, in ascending order. Where offsets in the file decrease,
// these need not be the first ones: what lies behind the end of the file is between others.
class Arrivals {
 public:
  virtual Status arrived(const OpenFile& opened, pattern::Interval data) = 0;

 protected:
  ~Arrivals() = default;
};

// Moves between data [0, bytes) of `memory` and data [position, position + bytes) of `file`.
struct Request {
  Operation operation;
  const pattern::Access* memory;
  std::byte* buffer;  // the address that offsets of `memory` count from
  const pattern::Access* file;
  int64_t position;
  int64_t bytes;
  // How much of the memory limit is taken by memory that data pass through, for conversion or on their way
  // from or to a device. A call that converts its data (mpiio/staged.h) makes several requests, and `more`
  // says whether another one follows this one.
  int64_t staging_bytes = 0;
  bool more = false;
  DeviceLink* device = nullptr;  // the way to the buffer if it lies in the memory of a GPU
  Arrivals* arrivals = nullptr;  // told only if the buffer lies in the host's memory and offsets may decrease

  // Copy between the user's buffer, from data position `at` on, and other memory. If the buffer is a
  // device's, what begins here may go on until finish_copies().
  Status begin_copy_to(const pattern::Side& to, int64_t at, int64_t length) const {
    if (device) return device->begin_copy(Towards::host, memory_side(at), to, length);
    copy(memory_side(at), to, length);
    take_time_of_copy(length);
    return {};
  }
  Status begin_copy_from(const pattern::Side& from, int64_t at, int64_t length) const {
    if (device) return device->begin_copy(Towards::device, memory_side(at), from, length);
    copy(from, memory_side(at), length);
    take_time_of_copy(length);
    return {};
  }
  Status finish_copies() const { return device ? device->finish() : Status(); }
  Status copy_to(const pattern::Side& to, int64_t at, int64_t length) const {
    auto status = begin_copy_to(to, at, length);
    return status ? finish_copies() : status;
  }
  Status copy_from(const pattern::Side& from, int64_t at, int64_t length) const {
    auto status = begin_copy_from(from, at, length);
    return status ? finish_copies() : status;
  }
  pattern::Side memory_side(int64_t at) const { return {memory, at, buffer, 0}; }
  pattern::Interval bounds() const { return file->bounds(position, position + bytes); }
};

// Bytes transferred. Reads stop at the end of the file; the part of the buffer behind that stays untouched.
using Outcome = Result<int64_t>;

}  // namespace concilio::exec
