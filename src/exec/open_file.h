// What the methods work with: one open file, as execution knows it. None of it changes while a call runs: the
// settings of later calls come in another one.
#pragma once

#include <optional>

#include "base/budget.h"
#include "base/counters.h"
#include "exec/locks/rewriting.h"
#include "exec/storage.h"
#include "mpi/nodes/team.h"
#include "plan/choose/hole_filling.h"
#include "plan/facts/prices.h"

namespace concilio {

struct OpenFile {
  Team& team;
  Storage& storage;
  Rewriting& rewriting;
  Budget& budget;
  Counters& counters;

  // The same on every rank, this and all that follows.
  StorageFacts facts;
  std::shared_ptr<const Prices> measured_prices{};  // of a profile; null: there is none
  bool locks_work = true;                           // between all ranks, on whichever nodes
  bool atomic = false;                              // MPI atomic mode
  bool concurrent = false;                          // ranks may have several calls under way at once
  bool sieve_writes = false;                        // a rank alone may sieve its writes
  bool map_reads = false, map_writes = false;       // the file can be mapped to be read, to be written
  std::optional<Flush> flush{};  // how windows with holes reach the file, where the user has said so
  int64_t flush_threshold = 0;   // of FlushRules

  // Whether every plain write locks its range, in every call, as some rank may be rewriting what it writes:
  // another open has no way to announce itself, or a rank of another node may be sieving alone.
  bool locks_every_write() const {
    return locks_work && (!rewriting.marked() || (sieve_writes && !on_one_node()));
  }
  // Whether ranks within a collective call may rewrite what lies between their own bytes, as far as all ranks
  // know: that other opens leave it alone is seen when it is done (exec/locks/rewriting.h). Ranks on several
  // nodes that may have other calls under way see no announcements of each other.
  bool may_rewrite() const {
    return storage.can_read() && locks_work && rewriting.marked() &&
           (!concurrent || on_one_node() || locks_every_write());
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

}  // namespace concilio
