#include "mpiio/file/opening.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "base/exceptions.h"
#include "base/log.h"
#include "base/system/descriptor.h"
#include "mpi/nodes/agree.h"
#include "mpi/nodes/descriptor_passing.h"
#include "mpiio/settings/hints.h"
#include "mpiio/settings/process_config.h"
#include "mpiio/settings/profile.h"
#include "plan/facts/wishes.h"

namespace concilio::mpiio {
namespace {

// How many ranks of a node open the file at once; the others do when they first need it.
constexpr int openers_per_node = 4;

StorageFacts facts_of(const StorageLayout& layout, const Config& config) {
  StorageFacts facts;
  switch (layout.kind) {
    case StorageLayout::Kind::local:
      facts.kind = StorageFacts::Kind::local;
      break;
    case StorageLayout::Kind::memory:
      facts.kind = StorageFacts::Kind::memory;
      break;
    case StorageLayout::Kind::network:
      facts.kind = StorageFacts::Kind::network;
      break;
    case StorageLayout::Kind::parallel:
      facts.kind = StorageFacts::Kind::parallel;
      break;
    case StorageLayout::Kind::unknown:
      facts.kind = StorageFacts::Kind::unknown;
      break;
  }
  if (layout.block_bytes > 0) facts.block_bytes = layout.block_bytes;
  facts.stripe_bytes = layout.stripe_bytes;
  facts.stripe_targets = layout.stripe_targets;
  facts.uncached = layout.uncached;
  facts.rotational = layout.medium == StorageLayout::Medium::rotational;
  take_over_stripes(config, facts);
  return facts;
}

// Rank 0's part of opening.
Status open_as_root(Storage& storage, int amode, const Config& config, Found& found) {
  const bool reads = amode_reads(amode), writes = amode_writes(amode);
  OpenMode mode{true, writes, (amode & MPI_MODE_CREATE) != 0, (amode & MPI_MODE_EXCL) != 0,
                static_cast<int>(config.integer(Key::file_perm))};
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
  auto size = storage.size();
  if (!size) return size.error();
  found.can_read = mode.read;
  if (layout->common_inodes) found.identity = storage.identity();
  found.identity.device = 0;  // each host numbers its devices differently
  found.size = *size;
  found.facts = facts_of(*layout, config);
  if (const auto profile = find_profile(process_config(), storage.path())) {
    found.has_profile = 1;
    found.prices = profile->prices;
    found.parameters = profile->parameters;
    found.facts.aggregators_per_node = profile->parameters.aggregators_per_node;
  }
  found.map_reads = reads && storage.can_map(false);
  found.map_writes = writes && storage.can_map(true);
  std::strncpy(found.file_system, layout->name.c_str(), sizeof found.file_system - 1);
  found.reports = !process_config().text(Key::report).empty();
  found.mark = writes ? take_mark(storage) : try_locks(storage);
  return {};
}

// Some file systems keep locks within a node (NFS with local_lock, Lustre with localflock, some FUSE), so
// that every node gets the same lock. To find out, rank 0 holds a lock, and the first rank of each other node
// must be refused it. Collective.
void settle_locks(Team& team, Storage& storage, OpenMark& mark) {
  if (mark.marked && team.nodes().size() > 1) {
    int respected = team.node() == 0 || team.local_rank() != 0 || mark_is_respected(storage, mark);
    PMPI_Allreduce(MPI_IN_PLACE, &respected, 1, MPI_INT, MPI_MIN, team.comm());
    if (!respected) {
      if (team.rank() == 0) {
        log_once(LogLevel::info,
                 fmt::format("other nodes do not see locks on {}; no ranges of this file are locked",
                             storage.path()));
      }
      mark.marked = mark.locks_work = 0;
    }
  }
}

struct OfNode {
  FileIdentity identity;
};
OfNode combine(const OfNode& a, const OfNode& b) {
  return a.identity.inode != 0 ? a : b;
}

// The first rank of every node finds the file by its path, and it must be the file that rank 0 opened. The
// other ranks of the node receive a descriptor from it. So they reach that very file, whatever happens to its
// name before they need it.
Status reach(Team& team, Storage& storage, FileIdentity of_rank_0) {
  storage.expect(of_rank_0, Descriptor());
  Status mine = team.local_rank() == 0 ? storage.open() : Status();
  OfNode of_node{storage.identity()};
  team.node_allreduce(of_node);
  Descriptor passed = pass_to_node(team, storage.descriptor());
  if (team.local_rank() != 0) {
    storage.expect(of_node.identity, std::move(passed));
    if (team.local_rank() < openers_per_node) mine = storage.open();
  }
  return agree(team, mine);
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

Result<Found> open_on_all_ranks(Team& team, Storage& storage, int amode, const Config& config) {
  Found found;
  Status mine;
  if (team.rank() == 0)
    mine = without_exceptions([&] { return open_as_root(storage, amode, config, found); });
  if (Status opened = agree(team, mine); !opened) return opened.error();
  PMPI_Bcast(&found, sizeof found, MPI_BYTE, 0, team.comm());
  if (team.rank() != 0) {
    storage.set_mode({found.can_read != 0, amode_writes(amode), false, false});
  } else {
    // The counter is in rank 0's memory, and no rank uses it before all have met below.
    (void)team.counter().set((amode & MPI_MODE_APPEND) ? found.size : 0);
  }
  if (Status reached = reach(team, storage, found.identity); !reached) return reached.error();
  settle_locks(team, storage, found.mark);
  return found;
}

}  // namespace concilio::mpiio
