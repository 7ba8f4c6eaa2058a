// Opens a file on all ranks. Rank 0 creates and opens it first, and tells the others what it found.
#pragma once

#include <mpi.h>

#include <memory>

#include "base/settings/config.h"
#include "exec/locks/rewriting.h"
#include "exec/storage/storage.h"
#include "mpi/nodes/team.h"
#include "plan/facts/profile.h"

namespace concilio::mpiio {

// Whether an access mode is valid (MPI 4.1, section 14.2.1).
Status check_amode(int amode);
inline bool amode_reads(int amode) {
  return (amode & (MPI_MODE_RDONLY | MPI_MODE_RDWR)) != 0;
}
inline bool amode_writes(int amode) {
  return (amode & (MPI_MODE_WRONLY | MPI_MODE_RDWR)) != 0;
}

// What rank 0 found, in the form in which it is sent to the others.
struct Found {
  int64_t can_read = 0, reports = 0;
  int64_t size = 0;        // only to append to the file, or to write down the call; otherwise 0
  int64_t free_bytes = 0;  // on rank 0's node, if that is the only one
  exec::OpenMark mark;
  store::ClientCache client_cache = store::ClientCache::coherent;
  int64_t exact_writes = 1;  // see OpenFile
  int64_t map_reads = 0, map_writes = 0;
  store::FileIdentity identity;  // only what is the same on every host
  uint64_t inode = 0;            // as rank 0's host numbers it
  plan::StorageFacts facts;
  int64_t has_profile = 0;
  plan::Prices prices{};  // of the profile, like the parameters
  plan::Parameters parameters;
  char file_system[32] = "";
};

// Rank 0 opens the file first. A few ranks of every node follow at once, and the others when they need the
// file, because it is the open that fails to scale (SCORPIO's authors measured it, for 144 000 ranks). All
// ranks reach the very file that rank 0 opened. The shared pointer is set to the end of the file if the
// access mode has MPI_MODE_APPEND, else to 0. Collective, with the same outcome on all ranks.
Result<Found> open_on_all_ranks(mpi::Team& team, exec::Storage& storage, int amode, const Config& config);

}  // namespace concilio::mpiio
