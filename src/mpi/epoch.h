// How long MPI runs in this process. The World Model's part of it lasts from MPI_Init to MPI_Finalize, and
// the part of a session from MPI_Session_init to MPI_Session_finalize. MPI runs as long as any part does;
// when all have ended, sessions may begin another epoch. What MPI gave out in one epoch (keyvals, operations,
// error codes) is nothing in the next, or something else.
#pragma once

#include <mpi.h>

#include <cstdint>

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define CONCILIO_MPI_HAS_SESSIONS
#endif

namespace concilio {

// MPI_COMM_WORLD and MPI_COMM_SELF may be named: no session makes them.
bool world_runs();
// Those that last, the World Model's among them.
int parts_of_mpi();
inline bool mpi_runs() {
  return parts_of_mpi() > 0;
}
// The number of the epoch, or, after its end, of the last.
uint64_t epoch();

// Called by the entry points, after MPI has done it.
void world_has_begun();
void session_has_begun(bool thread_multiple);
void session_has_ended(bool thread_multiple);

// MPI_THREAD_MULTIPLE was granted to a part that lasts: several threads may call MPI, ours among them.
bool has_thread_multiple();

// This process, for messages: its rank in MPI_COMM_WORLD, or, where there are sessions alone, what its
// launcher calls it; -1: neither is known.
int rank_in_job();

// A value that holds for one epoch: T() when it is first asked for in the next one. For one thread at a time.
template <typename T>
class OfEpoch {
 public:
  T& operator*() {
    if (epoch_ != epoch()) value_ = T();
    epoch_ = epoch();
    return value_;
  }
  T* operator->() { return &**this; }

 private:
  uint64_t epoch_ = 0;
  T value_{};
};

}  // namespace concilio
