// Storage that fails to order, for tests. A plan of faults is written
//
//   OPERATION:N:EFFECT[@RANK] [; ...]     e.g.  write:3:ENOSPC   read:*:EIO@2   any:7:EIO   write:1:short
//
// OPERATION  open, remove, read, write, lock, unlock, sync, size, resize, preallocate, layout,
//            map, close (the file is closed all the same), or any; or ring, without which requests at once go
//            in turn, and nobody is told. Requests at once are an operation each
// N          the N-th such operation of the store, from 1, over all its files; * for every one
// EFFECT     ENOSPC and the like: the operation fails so and does nothing
//            short: the N-th such system call moves half of its bytes     } both must go unnoticed
//            eintr: the N-th such system call is interrupted by a signal  } above the posix store
//            (with *, every other call is interrupted: were it every one, it would never end)
// RANK       the only rank that the fault is for
//
// or @FILE: the plan lies in FILE, which is read anew by each store that is made (for each file that is
// opened), and a line is appended to FILE.struck for each fault that strikes. So one program can try one plan
// after another, and knows which of them reached nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/operation.h"
#include "store/posix/posix.h"
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

// Told of each fault that strikes, by whichever thread meets it.
using StrikeSink = std::function<void(const Fault& fault)>;

// kind argument, with a message that says what would be right.
Result<FaultPlan> parse_faults(std::string_view text);
// Also of a plan that lies in a file, for which `struck` then keeps the record.
Result<FaultPlan> read_faults(const std::string& text, StrikeSink& struck);
// The faults that are for `rank`; -1: a rank not known, which has those for every rank.
FaultPlan faults_of_rank(const FaultPlan& plan, int rank);

// The plan's `fail` faults, of any store.
std::unique_ptr<Store> make_fault_store(std::unique_ptr<Store> inner, const FaultPlan& plan,
                                        StrikeSink struck = {});
// The plan's `shorten`, `interrupt` and `ring` faults, for make_posix_store; empty where it has none.
SyscallHook make_fault_hook(const FaultPlan& plan, StrikeSink struck = {});

}  // namespace concilio
