// Transfers with many requests under way at once, through a ring.
#pragma once

#include "store/operation.h"
#include "store/posix/posix.h"
#include "store/posix/ring.h"
#include "store/progress.h"

namespace concilio::store {

struct AtOnceOutcome {
  int64_t done_bytes = 0;   // reads: before the end of the file, counted along the transfers
  int system_errno = 0;     // of the first request that failed; 0: none
  Gathered failed;          // what was left of that request
  bool ring_broke = false;  // nothing is known of the transfers; they must be made in another way
};

// `transfers` must have passed check_transfers. Transfers that are adjacent in the file are one request, and
// one that comes back short goes on where it stopped. After a failure no more requests are begun, and all
// that were begun are over when this returns.
AtOnceOutcome move_at_once(Ring& ring, int fd, StoreOperation operation, std::span<const Transfer> transfers,
                           const SyscallHook& hook);

}  // namespace concilio::store
