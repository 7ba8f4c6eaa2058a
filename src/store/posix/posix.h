// Storage through POSIX system calls: EINTR, short transfers and the 0x7ffff000-byte limit of one call are
// handled here and nowhere else. Adjacent transfers become one preadv or pwritev.
//
// Requests at once go through a ring of the file's own (store/ring.h), made at the first of them; where the
// kernel refuses it (ENOSYS, EPERM), and when a ring breaks, they go in turn. Threads that want the ring of
// one file take turns.
//
// A file that others have open is opened once more through /proc/self/fd, which needs neither its name nor
// the folders on the way to it; else by its path, if that still leads to it. Where neither is allowed any
// more (the program gave up permissions), the descriptor itself is used, which then is shared with others.
//
// Locks are open-file-description locks. They do not keep those apart who share a description: whoever was
// left with a shared one takes locks of its process (F_SETLK), which conflict with either kind, and end as
// soon as the process closes any descriptor of the file. A file that is open for writing only takes every
// lock in the exclusive form, the only one the system grants it; an exclusive lock on a file that is open for
// reading only is refused with kind access_mode.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "store/operation.h"
#include "store/store.h"

namespace concilio {

// What a test makes of one system call: it fails with `system_errno` unless that is 0, and transfers at most
// `most_bytes` (at least one byte moves).
struct SyscallOutcome {
  int system_errno = 0;
  int64_t most_bytes = INT64_MAX;
};

// Asked before each system call and each request of a ring, EINTR's repetitions included; `bytes` is what the
// call would transfer. May be called by several threads at a time.
using SyscallHook = std::function<SyscallOutcome(StoreOperation operation, int64_t bytes)>;

std::unique_ptr<Store> make_posix_store(SyscallHook hook = {});

}  // namespace concilio
