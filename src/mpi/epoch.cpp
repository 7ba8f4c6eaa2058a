#include "mpi/epoch.h"

#include <atomic>
#include <mutex>

#include "base/job/launcher_rank.h"

namespace concilio::mpi {
namespace {

// A begin is counted before the program can use what it began.
std::mutex beginning;
std::atomic<uint64_t> epochs{0};
std::atomic<int> sessions{0}, sessions_with_threads{0};

}  // namespace

bool world_runs() {
  int initialized = 0, finalized = 0;
  PMPI_Initialized(&initialized);
  PMPI_Finalized(&finalized);
  return initialized && !finalized;
}

int parts_of_mpi() {
  return sessions + world_runs();
}

uint64_t epoch() {
  return epochs;
}

void world_has_begun() {
  std::lock_guard lock(beginning);
  if (sessions == 0) ++epochs;
}

void session_has_begun(bool thread_multiple) {
  std::lock_guard lock(beginning);
  if (!mpi_runs()) ++epochs;
  ++sessions;
  if (thread_multiple) ++sessions_with_threads;
}

void session_has_ended(bool thread_multiple) {
  std::lock_guard lock(beginning);
  --sessions;
  if (thread_multiple) --sessions_with_threads;
}

// MPI_Query_thread describes the World Model alone: in Open MPI 5 it returns MPI_THREAD_SINGLE for every
// session.
bool has_thread_multiple() {
  if (sessions_with_threads > 0) return true;
  int level = MPI_THREAD_SINGLE;
  return world_runs() && PMPI_Query_thread(&level) == MPI_SUCCESS && level == MPI_THREAD_MULTIPLE;
}

int rank_in_job() {
  if (!world_runs()) return launcher_rank().value_or(-1);
  int rank = -1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

}  // namespace concilio::mpi
