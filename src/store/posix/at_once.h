// Transfers with many requests under way at once, through a ring.
#pragma once

#include "store/operation.h"
#include "store/posix/posix.h"
#include "store/posix/ring.h"
#include "store/progress.h"

namespace concilio {

struct AtOnceOutcome {
  int64_t done_bytes = 0;   // reads: before the end of file, along the transfers
  int system_errno = 0;     // of the first request that failed; 0: none
  Gathered failed;          // what was left of that one
  bool ring_broke = false;  // nothing is known; make the transfers in another way
};

// `transfers` are checked (check_transfers). Transfers adjacent in the file are one request; a short one goes
// on where it stopped. Of a failing one no more are begun, and all that were are over when this returns.
AtOnceOutcome move_at_once(Ring& ring, int fd, StoreOperation operation, std::span<const Transfer> transfers,
                           const SyscallHook& hook);

}  // namespace concilio
