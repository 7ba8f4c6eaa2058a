// Storage that fails to order, for tests. A plan of faults is written
//
//   OPERATION:N:EFFECT[@RANK] [; ...]     e.g.  write:3:ENOSPC   read:*:EIO@2   any:7:EIO   write:1:short
//
// OPERATION  open, remove, read, write, lock, unlock, sync, size, resize, preallocate, layout,
//            map, close (the file is closed all the same), or any; or ring, without which requests at once go in turn, and nobody is told. Requests at
//            once are an operation each
// N          the N-th such operation of the store, from 1, over all its files; * for every one
// EFFECT     ENOSPC and the like: the operation fails so and does nothing
//            short: the N-th such system call moves half of its bytes     } both must go unnoticed
//            eintr: the N-th such system call is interrupted by a signal  } above the posix store
//            (with *, every other call is interrupted: were it every one, it would never end)
// RANK       the only rank that the fault is for
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/operation.h"
#include "store/posix.h"
#include "store/store.h"

namespace concilio {

struct Fault {
  enum class Effect { fail, shorten, interrupt };

  std::optional<StoreOperation> operation;  // none: any
  int64_t number = 0;                       // 0: every one
  Effect effect = Effect::fail;
  int system_errno = 0;  // of fail
  int rank = -1;         // -1: every rank
};

using FaultPlan = std::vector<Fault>;

// kind argument, with a message that says what would be right.
Result<FaultPlan> parse_faults(std::string_view text);
// The faults that are for `rank`; -1: a rank not known, which has those for every rank.
FaultPlan faults_of_rank(const FaultPlan& plan, int rank);

// The plan's `fail` faults, of any store.
std::unique_ptr<Store> make_fault_store(std::unique_ptr<Store> inner, const FaultPlan& plan);
// The plan's `shorten`, `interrupt` and `ring` faults, for make_posix_store; empty where it has none.
SyscallHook make_fault_hook(const FaultPlan& plan);

}  // namespace concilio
