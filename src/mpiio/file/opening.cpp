#include "mpiio/file/opening.h"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/counters.h"
#include "base/exceptions.h"
#include "base/log.h"
#include "base/system/descriptor.h"
#include "base/system/process.h"
#include "mpi/nodes/agree.h"
#include "mpi/nodes/descriptor_passing.h"
#include "mpiio/file/call_record.h"
#include "mpiio/settings/hints.h"
#include "mpiio/settings/process_config.h"
#include "mpiio/settings/profile.h"
#include "plan/facts/openers.h"
#include "plan/facts/wishes.h"

namespace concilio::mpiio {
namespace {

plan::StorageFacts::Kind kind_of(store::StorageLayout::Kind kind) {
  switch (kind) {
    case store::StorageLayout::Kind::local:
      return plan::StorageFacts::Kind::local;
    case store::StorageLayout::Kind::memory:
      return plan::StorageFacts::Kind::memory;
    case store::StorageLayout::Kind::network:
      return plan::StorageFacts::Kind::network;
    case store::StorageLayout::Kind::parallel:
      return plan::StorageFacts::Kind::parallel;
    case store::StorageLayout::Kind::unknown:
      break;
  }
  return plan::StorageFacts::Kind::unknown;
}

plan::StorageFacts facts_of(const store::StorageLayout& layout, const Config& config) {
  plan::StorageFacts facts;
  facts.kind = kind_of(layout.kind);
  if (layout.block_bytes > 0) facts.block_bytes = layout.block_bytes;
  facts.stripe_bytes = layout.stripe_bytes;
  facts.stripe_targets = layout.stripe_targets;
  facts.revoke_ns = layout.revoke_ns;
  facts.open_ns = layout.open_ns;
  facts.uncached = layout.uncached;
  facts.rotational = layout.medium == store::StorageLayout::Medium::rotational;
  // A file keeps the stripes that it was created with.
  if (layout.stripe_bytes == 0) take_over_stripes(config, facts);
  return facts;
}

bool of_this_host(plan::StorageFacts::Kind kind) {
  return kind == plan::StorageFacts::Kind::local || kind == plan::StorageFacts::Kind::memory;
}

// Rank 0's part of opening.
Status open_as_root(exec::Storage& storage, int amode, const Config& config, bool on_one_node, Found& found) {
  const bool reads = amode_reads(amode), writes = amode_writes(amode);
  store::OpenMode mode{true, writes, (amode & MPI_MODE_CREATE) != 0, (amode & MPI_MODE_EXCL) != 0,
                       static_cast<int>(config.integer(Key::file_perm))};
  mode.striping = {config.integer(Key::striping_unit), config.integer(Key::striping_factor)};
  storage.set_mode(mode);
  auto status = storage.open();
  if (!status && !reads && status.error().kind == ErrorKind::access) {
    // Read permission is needed only for read-modify-write. Without it, writes go around the holes instead.
    mode.read = false;
    storage.set_mode(mode);
    status = storage.open();
  }
  if (!status) return status;
  auto layout = storage.layout();
  if (!layout) return layout.error();
  if (!on_one_node && layout->client_cache == store::ClientCache::old_reads) {
    if (Status fresh = storage.refresh(); !fresh) return fresh;
  }
  found.facts = facts_of(*layout, config);
  const bool may_have_copies = !writes && !on_one_node && of_this_host(found.facts.kind);
  if ((amode & MPI_MODE_APPEND) || CallRecord::of_process() || may_have_copies) {
    auto size = storage.size();
    if (!size) return size.error();
    found.size = *size;
  }
  found.can_read = mode.read;
  found.client_cache = layout->client_cache;
  if (layout->common_inodes) found.identity = storage.identity();
  found.identity.device = 0;  // each host numbers its devices differently
  found.inode = storage.identity().inode;
  if (const auto profile = find_profile(process_config(), storage.path(), storage.identity().device)) {
    found.has_profile = 1;
    found.prices = profile->prices;
    found.parameters = profile->parameters;
    found.facts.aggregators_per_node = profile->parameters.aggregators_per_node;
    found.facts.memory_min_bytes = profile->parameters.memory_min_bytes;
  }
  found.map_reads = reads && storage.can_map(false);
  found.map_writes = writes && storage.can_map(true);
  std::strncpy(found.file_system, layout->name.c_str(), sizeof found.file_system - 1);
  found.reports = !process_config().text(Key::report).empty();
  if (!writes) {
    found.mark = try_locks(storage);
    return {};
  }
  const Result<exec::OpenMark> mark = take_mark(storage);
  if (!mark) return mark.error();
  found.mark = *mark;
  return {};
}

// What rank 0 tells all ranks of its open.
struct OfRank0 {
  mpi::Failure failure;
  Found found;
  int64_t is_told = 0;
};
OfRank0 combine(const OfRank0& a, const OfRank0& b) {
  return a.is_told ? a : b;
}

// What the first rank of a node has open.
struct OfNode {
  store::FileIdentity identity;
  int64_t process = 0;
  uint64_t pid_namespace = 0;
  int descriptor = -1;
};
OfNode combine(const OfNode& a, const OfNode& b) {
  return a.identity.inode != 0 ? a : b;
}

// Ranks of a node that need a descriptor of their own passed to them.
struct Lacking {
  int64_t ranks = 0;
};
Lacking combine(const Lacking& a, const Lacking& b) {
  return {a.ranks + b.ranks};
}

// Whether all ranks have reached the file, whether locks keep its nodes apart, and the most that a node's
// client keeps of it.
struct Reached {
  mpi::Failure failure;
  int64_t locks_respected = 1;
  store::ClientCache client_cache = store::ClientCache::coherent;
};
Reached combine(const Reached& a, const Reached& b) {
  return {combine(a.failure, b.failure), a.locks_respected & b.locks_respected,
          std::max(a.client_cache, b.client_cache)};
}

// Whether each node holds a lock.
struct Held {
  mpi::Failure failure;
  int64_t locks = 1;
};
Held combine(const Held& a, const Held& b) {
  return {combine(a.failure, b.failure), a.locks & b.locks};
}

// Whether an open of what another process has open failed because it is not there for this rank, not for it
// to open, or to be opened only once. Any other error is one of the open.
bool needs_descriptor(ErrorKind kind) {
  return kind == ErrorKind::no_such_file || kind == ErrorKind::access || kind == ErrorKind::file_in_use;
}

// Refuses another file than rank 0's under the same name. Hosts may each have a copy of their own of a file
// that is only read: in their /tmp, or in the image of their container.
Status check_same(exec::Storage& storage, const store::StorageLayout& layout, bool writes,
                  const Found& found) {
  const store::FileIdentity here = storage.identity();
  const bool has_own_inodes = !layout.common_inodes && layout.kind != store::StorageLayout::Kind::unknown;
  if (has_own_inodes || store::may_be_same({0, here.inode}, found.identity)) return {};
  if (!writes && of_this_host(found.facts.kind) && of_this_host(kind_of(layout.kind))) {
    auto size = storage.size();
    if (!size) return size.error();
    if (*size == found.size) return {};
  }
  return error_with(ErrorKind::no_such_file, ESTALE, [&] {
    return fmt::format("{} on {} is another file than on the host of rank 0", storage.path(), host_name());
  });
}

// A node that exports its file system to others sees as local what is not so for them.
void see_with_others(store::ClientCache most, Found& found) {
  if (most == found.client_cache) return;
  found.client_cache = most;
  found.map_reads = found.map_writes = 0;
  if (of_this_host(found.facts.kind)) {
    found.facts.kind = most == store::ClientCache::whole_pages ? plan::StorageFacts::Kind::network
                                                               : plan::StorageFacts::Kind::parallel;
  }
}

// A client that writes whole pages back does so only where its node has no lock on the file: each node takes
// one, if it can.
Status hold_locks(mpi::Team& team, exec::Storage& storage, Found& found) {
  Held all;
  Status mine;
  if (team.rank() == 0) {
    all.locks = found.mark.held;
  } else if (team.local_rank() == 0) {
    mine = without_exceptions([&]() -> Status {
      all.locks = take_some_lock(storage);
      return {};
    });
  }
  all.failure = failure_of(team, mine);
  if (!team.allreduce(all)) return team.failure();
  if (all.failure) return shared_error(team, all.failure, mine);
  found.exact_writes = all.locks;
  return {};
}

// A client that keeps old pages keeps old names too (FUSE; GlusterFS for a second). A node that knew an
// earlier file of this name, which has been deleted or renamed since, would open that one or be told that it
// is gone. So it opens again until it has rank 0's file. If it never gets it, its host numbers files in its
// own way, and no later open waits for that.
Status open_by_current_name(exec::Storage& storage, const Found& found) {
  static std::atomic<uint64_t> numbers_files{0};  // the device of such a host
  constexpr int64_t most_seconds = 3;
  constexpr timespec pause{0, 20'000'000};
  for (const int64_t end = now_ns() + most_seconds * 1'000'000'000;; nanosleep(&pause, nullptr)) {
    Status opened = storage.open();
    const store::FileIdentity here = storage.identity();
    const bool other = opened
                           ? here.inode != found.inode && here.device != numbers_files
                           : opened.error().system_errno == ESTALE || opened.error().system_errno == ENOENT;
    const bool given_up = other && now_ns() >= end;
    if (given_up && opened) numbers_files = here.device;
    // What the node has kept of the file since an earlier open is old as well.
    if (!other || given_up) return opened ? storage.refresh() : opened;
    if (opened) (void)storage.close(false);  // what it says is about a file that nobody asked for
  }
}

// The first rank of every node finds the file by its path, and it must be the file that rank 0 opened. The
// other ranks of the node open what it has open. So they reach that very file, whatever happens to its name.
// Ranks that open later receive a descriptor from it, which they keep until then, and so do all where some
// are not allowed to look at what another process has open. A rank that cannot receive one opens by the path,
// and at once: whether it can is then known before MPI_File_open returns.
//
// Some file systems keep locks within a node (NFS with local_lock, Lustre with localflock, some FUSE), so
// that every node gets the same lock. To find out, rank 0 holds a lock, and the first rank of each other node
// must be refused it.
Status reach(mpi::Team& team, exec::Storage& storage, bool writes, Found& found) {
  const bool name_may_be_old = team.node() != 0 && found.client_cache == store::ClientCache::old_reads;
  const auto open = [&] {
    return without_exceptions([&] {
      return name_may_be_old && team.local_rank() == 0 ? open_by_current_name(storage, found)
                                                       : storage.open();
    });
  };
  Status mine = team.local_rank() == 0 ? open() : Status();
  OfNode of_node;
  if (team.local_rank() == 0 && team.local_size() > 1)
    of_node = {storage.identity(), getpid(), pid_namespace(), storage.descriptor()};
  team.node_allreduce(of_node);
  const int64_t openers = plan::openers(found.facts, std::ssize(team.nodes()), team.local_size());
  const bool all_open = team.local_size() <= openers;
  bool lacks = team.local_rank() != 0;
  if (lacks && all_open && of_node.identity.inode != 0 && of_node.pid_namespace == pid_namespace() &&
      of_node.pid_namespace != 0) {
    storage.expect(of_node.identity, of_node.process, of_node.descriptor);
    mine = open();
    lacks = !mine && needs_descriptor(mine.error().kind);
  }
  Lacking lacking{lacks};
  if (all_open) team.node_allreduce(lacking);
  if (!all_open || lacking.ranks > 0) {
    Descriptor passed = pass_to_node(team, storage.descriptor());
    if (lacks) {
      const bool can_open_later = static_cast<bool>(passed);
      storage.expect(of_node.identity, std::move(passed));
      if (team.local_rank() < openers || !can_open_later) mine = open();
    }
  }
  Reached all;
  all.client_cache = found.client_cache;
  if (mine && team.local_rank() == 0 && team.node() != 0) {
    mine = without_exceptions([&]() -> Status {
      const auto layout = storage.layout();
      if (!layout) return layout.error();
      all.client_cache = std::max(found.client_cache, layout->client_cache);
      if (Status same = check_same(storage, *layout, writes, found); !same) return same;
      if (found.mark.held) all.locks_respected = mark_is_respected(storage, found.mark);
      return {};
    });
  }
  all.failure = failure_of(team, mine);
  if (!team.allreduce(all)) return team.failure();
  if (all.failure) return shared_error(team, all.failure, mine);
  see_with_others(all.client_cache, found);
  storage.set_client_cache(found.client_cache);
  if (writes && found.client_cache == store::ClientCache::whole_pages && team.nodes().size() > 1) {
    if (Status held = hold_locks(team, storage, found); !held) return held;
  }
  if (all.locks_respected) return {};
  found.mark.marked = found.mark.locks_work = 0;
  if (team.rank() == 0) {
    if_there_is_memory([&] {
      log_once(LogLevel::info,
               fmt::format("locks on {} are not seen by other nodes; nothing is locked in this file",
                           storage.path()));
    });
  }
  return {};
}

}  // namespace

Status check_amode(int amode) {
  const int access = amode & (MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR);
  auto refuse = [](const char* why) { return Error{ErrorKind::access_mode, 0, why}; };
  if (access != MPI_MODE_RDONLY && access != MPI_MODE_WRONLY && access != MPI_MODE_RDWR) {
    return refuse("the access mode needs exactly one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR");
  }
  if (access == MPI_MODE_RDONLY && (amode & (MPI_MODE_CREATE | MPI_MODE_EXCL))) {
    return refuse("MPI_MODE_RDONLY cannot be combined with MPI_MODE_CREATE or MPI_MODE_EXCL");
  }
  if (access == MPI_MODE_RDWR && (amode & MPI_MODE_SEQUENTIAL)) {
    return refuse("MPI_MODE_RDWR cannot be combined with MPI_MODE_SEQUENTIAL");
  }
  return {};
}

Result<Found> open_on_all_ranks(mpi::Team& team, exec::Storage& storage, int amode, const Config& config) {
  OfRank0 told;
  Status mine;
  const bool on_one_node = team.nodes().size() == 1;  // several ask for their memory with each plan
  if (team.rank() == 0) {
    mine = without_exceptions([&] { return open_as_root(storage, amode, config, on_one_node, told.found); });
    told.failure = failure_of(team, mine);
    told.is_told = 1;
    if (on_one_node) told.found.free_bytes = team.free_bytes_now();
  }
  if (!team.allreduce(told)) return team.failure().error();
  if (told.failure) return shared_error(team, told.failure, mine);
  Found& found = told.found;
  if (on_one_node) team.set_free_bytes(found.free_bytes);
  if (team.rank() != 0) {
    storage.set_mode({found.can_read != 0, amode_writes(amode), false, false});
    team.counter().is_zero();  // or rank 0 knows better
  } else {
    // The counter is in rank 0's memory, and no rank uses it before all have met below.
    (void)team.counter().set((amode & MPI_MODE_APPEND) ? found.size : 0);
  }
  if (Status reached = reach(team, storage, amode_writes(amode), found); !reached) return reached.error();
  return found;
}

}  // namespace concilio::mpiio
