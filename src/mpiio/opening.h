// How a file is opened: rank 0 creates and opens it, and tells the others what it found.
#pragma once

#include <mpi.h>

#include <memory>

#include "base/settings/config.h"
#include "exec/locks/rewriting.h"
#include "exec/storage.h"
#include "mpi/nodes/team.h"
#include "plan/facts/profile.h"

namespace concilio::mpiio {

// Whether an access mode makes sense (MPI 4.1, section 14.2.1).
Status check_amode(int amode);
inline bool amode_reads(int amode) {
  return (amode & (MPI_MODE_RDONLY | MPI_MODE_RDWR)) != 0;
}
inline bool amode_writes(int amode) {
  return (amode & (MPI_MODE_WRONLY | MPI_MODE_RDWR)) != 0;
}

// What rank 0 found, as it travels to the others.
struct Found {
  int64_t can_read = 0, size = 0, reports = 0;
  OpenMark mark;
  int64_t map_reads = 0, map_writes = 0;
  FileIdentity identity;  // as far as it means the same on every host
  StorageFacts facts;
  int64_t has_profile = 0;
  Prices prices{};  // of the profile, and so the parameters
  Parameters parameters;
  char file_system[32] = "";
};

// Rank 0 opens; a few ranks of every node follow at once, the others when they need the file: it is the open
// that fails to scale (SCORPIO's authors measured it, for 144 000 ranks). All reach the very file that rank 0
// opened. The shared pointer is at the end of the file where it is appended to, else at 0. Collective; the
// same outcome on all ranks.
Result<Found> open_on_all_ranks(Team& team, Storage& storage, int amode, const Config& config);

}  // namespace concilio::mpiio
