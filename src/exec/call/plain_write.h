// Plain writes: they write a rank's own bytes and no others. They keep clear of ranks that rewrite the bytes
// around them (rewriting.h), by an announcement or else by a lock on their range.
#pragma once

#include <utility>

#include "exec/call/running_call.h"
#include "exec/locks/range_lock.h"

namespace concilio::exec {

// While it lives, this rank may make plain writes within the range.
class PlainWrite {
 public:
  PlainWrite(const RunningCall& call, pattern::Interval range)
      : call_(call), lock_(call.opened.storage, range.begin, range.length()) {}
  ~PlainWrite() {
    if (announced_) call_.opened.rewriting.board().end_write();
  }
  PlainWrite(const PlainWrite&) = delete;
  PlainWrite& operator=(const PlainWrite&) = delete;
  Status begin();
  // Gives the range back. Returns the outcome of the writes, or why the range could not be given back.
  Status end(Status outcome) { return lock_.release(std::move(outcome)); }

 private:
  const RunningCall& call_;
  RangeLock lock_;
  bool announced_ = false;
};

// Writes the transfers. There is at least one, and their offsets ascend.
Status write_plainly(const RunningCall& call, std::span<const store::Transfer> transfers,
                     bool at_once = false);

}  // namespace concilio::exec
