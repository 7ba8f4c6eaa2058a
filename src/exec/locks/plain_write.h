// Plain writes: of a rank's own bytes and no others. They keep out of the way of whoever rewrites
// (rewriting.h), by announcing themselves, or else by a lock on their range.
#pragma once

#include <utility>

#include "exec/engine.h"
#include "exec/locks/range_lock.h"

namespace concilio {

// Plain writes within a range, for as long as it lives.
class PlainWrite {
 public:
  PlainWrite(Engine& engine, Interval range)
      : engine_(engine), lock_(engine.storage, range.begin, range.length()) {}
  ~PlainWrite() {
    if (announced_) engine_.rewriting.board().end_write();
  }
  PlainWrite(const PlainWrite&) = delete;
  PlainWrite& operator=(const PlainWrite&) = delete;
  Status begin();
  // Ends it: what came of it, or why the range could not be given back.
  Status end(Status outcome) { return lock_.release(std::move(outcome)); }

 private:
  Engine& engine_;
  RangeLock lock_;
  bool announced_ = false;
};

// Writes transfers, which ascend, at least one of them.
Status write_plainly(Engine& engine, std::span<const Transfer> transfers, bool at_once = false);

}  // namespace concilio
