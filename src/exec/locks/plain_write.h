// Plain writes: of a rank's own bytes and no others. They keep out of the way of whoever rewrites
// (rewriting.h), by announcing themselves, or else by a lock on their range.
#pragma once

#include <utility>

#include "exec/locks/range_lock.h"
#include "exec/running_call.h"

namespace concilio {

// Plain writes within a range, for as long as it lives.
class PlainWrite {
 public:
  PlainWrite(const RunningCall& call, Interval range)
      : call_(call), lock_(call.opened.storage, range.begin, range.length()) {}
  ~PlainWrite() {
    if (announced_) call_.opened.rewriting.board().end_write();
  }
  PlainWrite(const PlainWrite&) = delete;
  PlainWrite& operator=(const PlainWrite&) = delete;
  Status begin();
  // Ends it: what came of it, or why the range could not be given back.
  Status end(Status outcome) { return lock_.release(std::move(outcome)); }

 private:
  const RunningCall& call_;
  RangeLock lock_;
  bool announced_ = false;
};

// Writes transfers, which ascend, at least one of them.
Status write_plainly(const RunningCall& call, std::span<const Transfer> transfers, bool at_once = false);

}  // namespace concilio
