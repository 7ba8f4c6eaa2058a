// Locks on ranges of a file. A lock on the file itself keeps out other ranks and other opens. It belongs to
// the open file and so does not keep a rank's own threads apart; a table in memory does that.
#pragma once

#include <cstdint>

#include "exec/storage/storage.h"

namespace concilio::exec {

// A lock on a range of the file for as long as it lives. It keeps out this rank's other threads and, with
// `file_too`, other ranks and other opens: who holds it reads what others wrote before they gave the range
// back, on whichever node. It must not overlap one that the same thread holds.
class RangeLock {
 public:
  RangeLock(Storage& storage, int64_t offset, int64_t length)
      : storage_(storage), range_{offset, offset + length} {}
  ~RangeLock();
  RangeLock(const RangeLock&) = delete;
  RangeLock& operator=(const RangeLock&) = delete;
  // Waits for the holder of the range, at most as long as the storage's lock_patience_ms() says. A holder is
  // at work, and the locks of a process that ends are freed.
  Status acquire(store::LockMode mode, bool file_too = true);
  // Gives the range back, and returns `outcome`, the outcome of the work within the range. If that went well
  // and the range cannot be given back, returns the error of that instead: the range then stays locked until
  // the file is closed, and the others must know. Without this call, for instance after another failure, the
  // destructor gives the range back.
  template <typename Done>
  Done release(Done outcome) {
    Status released = give_back();
    if (outcome && !released) return released.error();
    return outcome;
  }

 private:
  Status give_back();
  Storage& storage_;
  pattern::Interval range_;
  bool held_ = false;
  bool shows_ = false;  // to whom locks next, since a lock alone does not
  HeldRanges::Place place_{};
};

}  // namespace concilio::exec
