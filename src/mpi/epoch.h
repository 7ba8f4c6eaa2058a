// For how long MPI runs in this process. The part of MPI that is the World Model lasts from MPI_Init to
// MPI_Finalize, and the part that is a session from MPI_Session_init to MPI_Session_finalize. MPI runs as
// long as any part does. This time is called an epoch. When all parts have ended, a new session begins the
// next epoch. Objects that MPI handed out in one epoch (keyvals, operations, error codes) are invalid in the
// next one, or their handles stand for something else.
#pragma once

#include <mpi.h>

#include <cstdint>

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define CONCILIO_MPI_HAS_SESSIONS
#endif

namespace concilio::mpi {

// Whether MPI_COMM_WORLD and MPI_COMM_SELF may be used. Sessions do not make them.
bool world_runs();
// How many parts of MPI run now, the World Model included.
int parts_of_mpi();
inline bool mpi_runs() {
  return parts_of_mpi() > 0;
}
// The number of the current epoch, or of the last one if MPI does not run now.
uint64_t epoch();

// The entry points call these after MPI has begun or ended the part.
void world_has_begun();
void session_has_begun(bool thread_multiple);
void session_has_ended(bool thread_multiple);

// Whether a part that still runs was granted MPI_THREAD_MULTIPLE: then several threads may call MPI, also
// Concilio's own.
bool has_thread_multiple();

// This process's number for messages: its rank in MPI_COMM_WORLD, or the rank that the launcher gave it if
// there are only sessions, or -1 if neither is known.
int rank_in_job();

// A value that is valid for one epoch: the first access in a new epoch resets it to T(). The caller keeps
// threads apart.
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

}  // namespace concilio::mpi
