// Locks on ranges of a file: against other ranks and other opens by the file, against this rank's own threads
// by a table in memory, since a lock on the file belongs to the open file and does not keep threads apart.
#pragma once

#include <cstdint>

#include "exec/storage.h"

namespace concilio {

// A lock on a range of the file for as long as it lives, against this rank's other threads and, with
// `file_too`, against other ranks and other opens. Must not overlap one that the same thread holds.
class RangeLock {
 public:
  RangeLock(Storage& storage, int64_t offset, int64_t length)
      : storage_(storage), range_{offset, offset + length} {}
  ~RangeLock();
  RangeLock(const RangeLock&) = delete;
  RangeLock& operator=(const RangeLock&) = delete;
  // Waits for whoever holds the range, as long as the storage's patience lasts: they are at work, and what a
  // process held is free when it ends.
  Status acquire(LockMode mode, bool file_too = true);
  // Gives the range back, and what was done within it as it went; or, if that went well, why the range could
  // not be given back: it then stays locked until the file is closed, and others must know. Without this, as
  // where something else failed, the range is given back at the end of the object's life.
  template <typename Done>
  Done release(Done outcome) {
    Status released = give_back();
    if (outcome && !released) return released.error();
    return outcome;
  }

 private:
  Status give_back();
  Storage& storage_;
  Interval range_;
  bool held_ = false;
  HeldRanges::Place place_{};
};

}  // namespace concilio
