// Storage through POSIX system calls. EINTR, short transfers and the limit of 0x7ffff000 bytes per call are
// handled here and nowhere else. Adjacent transfers become one preadv or pwritev, and a single one a pread or
// pwrite.
//
// Requests at once go through a ring of the file (store/posix/ring.h), which is made for the first of them.
// If the kernel refuses it (ENOSYS, EPERM), or if a ring breaks, requests are made one after another. Threads
// that use the ring of the same file take turns.
//
// A file that is already open elsewhere in the process is opened again through /proc/self/fd, which needs
// neither its name nor access to the folders above it. If that fails, it is opened by its path, provided that
// this still leads to the same file. If neither is allowed any more (the program gave up permissions), the
// descriptor itself is duplicated, so that its open file description is shared.
//
// Locks are open-file-description locks. They do not separate users of the same description, so a file with a
// shared description takes locks of the process (F_SETLK) instead. These conflict with either kind, and end
// as soon as the process closes any descriptor of the file. A file that is open only for writing takes every
// lock as an exclusive one, since the system grants it no other. A file that is open only for reading is
// refused exclusive locks, with kind access_mode. Closing a file gives its locks back, also if a process that
// was forked has a copy of the descriptor.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "store/operation.h"
#include "store/store.h"

namespace concilio::store {

// What a test does to one system call: it fails with `system_errno`, unless that is 0, and it transfers at
// most `most_bytes` (but at least one byte).
struct SyscallOutcome {
  int system_errno = 0;
  int64_t most_bytes = INT64_MAX;
};

// Called before each system call and each request of a ring, including repetitions after EINTR. `bytes` is
// what the call would transfer. Several threads may call it at a time.
using SyscallHook = std::function<SyscallOutcome(StoreOperation operation, int64_t bytes)>;

std::unique_ptr<Store> make_posix_store(SyscallHook hook = {});

}  // namespace concilio::store
