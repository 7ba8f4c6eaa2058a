// Storage that fails when it is told to, for tests. A plan of faults is written
//
//   OPERATION:N:EFFECT[@RANK] [; ...]     e.g.  write:3:ENOSPC   read:*:EIO@2   any:7:EIO   write:1:short
//
// OPERATION  open, remove, read, write, lock, unlock, sync, size, resize, preallocate, layout, map, close
//            (which closes the file all the same), or any. Each request at once is one operation.
//            Or ring: requests at once are then made one after another, without a message.
// N          the N-th such operation of the store, from 1, over all its files; * for every one
// EFFECT     ENOSPC and the like: the operation fails with this error and does nothing.
//            short: the N-th such system call moves half of its bytes.
//            eintr: a signal interrupts the N-th such system call; with *, every other one, since a call
//            that is always interrupted would never end.
//            What is above the posix store must notice neither short nor eintr.
// RANK       the only rank that the fault is for
//
// or @FILE, where FILE holds the plan. Each store that is made (for each file that is opened) reads it anew.
// For each fault that strikes, a line is appended to FILE.struck. So one program can try one plan after
// another, and knows which of them struck nothing.
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

namespace concilio::store {

struct Fault {
  enum class Effect { fail, shorten, interrupt };

  std::optional<StoreOperation> operation;  // none: any
  int64_t number = 0;                       // 0: every one
  Effect effect = Effect::fail;
  int system_errno = 0;  // for Effect::fail
  int rank = -1;         // -1: every rank
};

using FaultPlan = std::vector<Fault>;

// Called for each fault that strikes, by the thread that meets it.
using StrikeSink = std::function<void(const Fault& fault)>;

// An error is of kind argument, and its message says what would be right.
Result<FaultPlan> parse_faults(std::string_view text);
// Reads a plan that is given directly or as @FILE. For the latter, `struck` becomes the function that keeps
// the record.
Result<FaultPlan> read_faults(const std::string& text, StrikeSink& struck);
// The faults for `rank`. If that is -1 (not known), only the faults for every rank.
FaultPlan faults_of_rank(const FaultPlan& plan, int rank);

// A store that has the plan's `fail` faults.
std::unique_ptr<Store> make_fault_store(std::unique_ptr<Store> inner, const FaultPlan& plan,
                                        StrikeSink struck = {});
// A hook for make_posix_store with the plan's `shorten`, `interrupt` and `ring` faults. It is empty if there
// are none.
SyscallHook make_fault_hook(const FaultPlan& plan, StrikeSink struck = {});

}  // namespace concilio::store
