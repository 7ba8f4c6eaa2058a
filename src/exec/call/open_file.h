// One open file, as the methods see it. Nothing of it changes while a call runs: later calls with other
// settings get another one.
#pragma once

#include <optional>

#include "base/budget.h"
#include "base/counters.h"
#include "exec/call/device_link.h"
#include "exec/call/kept_buffer.h"
#include "exec/locks/rewriting.h"
#include "exec/storage/storage.h"
#include "mpi/nodes/team.h"
#include "plan/choose/hole_filling.h"
#include "plan/facts/prices.h"

namespace concilio::exec {

// concilio_agree.
enum class Meetings : int32_t { automatic, always, seldom };

struct OpenFile {
  mpi::Team& team;
  Storage& storage;
  Rewriting& rewriting;
  Budget& budget;
  Counters& counters;
  KeptBuffer& sieve_room;

  // From here on, everything is the same on every rank.
  plan::StorageFacts facts;
  std::shared_ptr<const plan::Prices> measured_prices{};  // from a profile; null if there is none
  bool locks_work = true;                   // locks keep all ranks apart, on whichever nodes they are
  bool exact_writes = true;                 // no node writes back bytes that it was not asked to write
  bool atomic = false;                      // MPI atomic mode
  Meetings meetings = Meetings::automatic;  // in which collective calls the ranks meet
  GpuKernel gpu_kernel = GpuKernel::automatic;
  bool concurrent = false;                     // ranks may have several calls under way at once
  bool sieve_writes = false;                   // a rank alone may sieve its writes
  bool map_reads = false, map_writes = false;  // the file can be mapped to be read, to be written
  std::optional<plan::Flush> flush{};          // how windows with holes are written, if the user has said so
  int64_t flush_threshold = 0;                 // of FlushRules
  int64_t direct_bytes = 0;                    // concilio_direct_bytes
  bool pipelining = true;                      // concilio_pipelining

  // Whether every plain write of every call locks its range, because some rank may be rewriting the bytes
  // around it. That is so where another open of the file cannot announce itself, or where a rank of another
  // node may be sieving alone.
  bool locks_every_write() const {
    return locks_work && (!rewriting.marked() || (sieve_writes && !on_one_node()));
  }
  // Whether ranks in a collective call may rewrite the bytes between their own, as far as all ranks know.
  // Whether other opens of the file allow it is found out only when it is done (exec/locks/rewriting.h).
  bool may_rewrite() const { return storage.can_read() && locks_work && rewriting.marked(); }
  // Whether they may do so only in a call that has been announced on all nodes (RewriteNotice): other threads
  // may have plain writes under way, on nodes that do not see this node's board.
  bool rewrites_by_notice() const { return concurrent && !on_one_node() && !locks_every_write(); }
  // The same for the windows of two-phase I/O.
  bool may_rewrite_holes() const { return may_rewrite() && !pages_differ(); }
  const plan::Prices& prices() const { return measured_prices ? *measured_prices : builtin_prices(facts); }

  bool on_one_node() const { return team.nodes().size() == 1; }

  bool may_map(Operation operation) const { return operation == Operation::read ? map_reads : map_writes; }

  // Whether the node is a client that may keep old pages of the file, and its old size. Other nodes may have
  // the file open even if all ranks of this open are on one: by another communicator, or in another job.
  bool cached_by_client() const { return storage.client_cache() != store::ClientCache::coherent; }
  // Whether two nodes of this open may see different bytes of the file for a while.
  bool caches_differ() const { return cached_by_client() && !on_one_node(); }
  // Whether they may also write different bytes of it back.
  bool pages_differ() const {
    return storage.client_cache() == store::ClientCache::whole_pages && !on_one_node();
  }
};

}  // namespace concilio::exec
