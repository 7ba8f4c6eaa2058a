// What the methods work with: one open file's team, storage, budget and state, and one request on it. Every
// call has an Engine of its own, a copy of the file's.
#pragma once

#include <optional>

#include "base/budget.h"
#include "base/counters.h"
#include "exec/locks/rewriting.h"
#include "exec/storage.h"
#include "mpi/nodes/team.h"
#include "pattern/copy.h"
#include "plan/choose/hole_filling.h"
#include "plan/facts/prices.h"
#include "plan/plan.h"

namespace concilio {

class WriteBehind;

struct Engine {
  Team& team;
  Storage& storage;
  Rewriting& rewriting;
  Budget& budget;
  Counters& counters;
  StorageFacts facts;                               // this and what follows: the same on every rank
  std::shared_ptr<const Prices> measured_prices{};  // of a profile; null: there is none
  bool locks_work = true;                           // between all ranks, on whichever nodes
  bool atomic = false;                              // MPI atomic mode
  bool concurrent = false;                          // ranks may have several calls under way at once
  bool sieve_writes = false;                        // a rank alone may sieve its writes
  bool map_reads = false, map_writes = false;       // the file can be mapped to be read, to be written
  bool guard_writes = false;      // every plain write locks its range, as somebody may be rewriting
  WriteBehind* behind = nullptr;  // this call's windows go there, not to the file
  bool range_locked = false;      // this call holds a lock on all it touches: it needs no other
  std::optional<Flush> flush{};   // how windows with holes reach the file, where the user has said so
  int64_t flush_threshold = 0;    // of FlushRules

  // Whether ranks within a collective call may rewrite what lies between their own bytes, as far as all ranks
  // know: that other opens leave it alone is seen when it is done (exec/locks/rewriting.h). Ranks on several
  // nodes that may have other calls under way see no announcements of each other.
  bool may_rewrite() const {
    return storage.can_read() && locks_work && rewriting.marked() &&
           (!concurrent || on_one_node() || guard_writes);
  }
  // The same for windows of two-phase I/O.
  bool may_rewrite_holes() const { return may_rewrite() && !caches_differ(); }
  const Prices& prices() const { return measured_prices ? *measured_prices : builtin_prices(facts); }

  bool on_one_node() const { return team.nodes().size() == 1; }

  bool may_map(Operation operation) const { return operation == Operation::read ? map_reads : map_writes; }

  // Whether two nodes may see different bytes of the file for a while: a client of network storage caches
  // pages, and writes back and looks anew only at locks, sync and open.
  bool caches_differ() const { return facts.kind == StorageFacts::Kind::network && !on_one_node(); }
};

// Data [0, bytes) of `memory`, and data [position, position + bytes) of `file`.
struct Request {
  Operation operation;
  const Access* memory;
  std::byte* buffer;  // that memory's offsets count from
  const Access* file;
  int64_t position;
  int64_t bytes;
  // A call that stages its data (mpiio/staged.h) makes several requests: what that takes of the memory limit,
  // and whether another of them comes after this one.
  int64_t staging_bytes = 0;
  bool more = false;

  Side memory_side(int64_t at) const { return {memory, at, buffer, 0}; }
  Interval bounds() const { return file->bounds(position, position + bytes); }
};

// Bytes transferred. Reads stop at end of file; what lies behind it in the buffer stays untouched.
using Outcome = Result<int64_t>;

}  // namespace concilio
