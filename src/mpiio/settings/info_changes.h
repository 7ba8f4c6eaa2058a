// What the program does to its info objects. Libraries give the same one with each view: HDF5 the one that
// MPI_File_get_info made for it, with all hints. MPI finds a hint by going through all of them, so that to
// compare them all takes longer than the rest of MPI_File_set_view.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

namespace concilio::mpiio {

inline std::atomic<uint64_t> info_changes{0};

// The state of an info object. As long as the program has changed and freed none, a handle stands for the
// same object, with the same hints.
struct InfoState {
  MPI_Info info = MPI_INFO_NULL;
  uint64_t changes = 0;  // of all info objects, until then

  static InfoState now(MPI_Info info) { return {info, info_changes.load(std::memory_order_acquire)}; }
  bool operator==(const InfoState&) const = default;
};

// Called after the program has changed or freed an info object.
inline void note_info_change() {
  info_changes.fetch_add(1, std::memory_order_release);
}

}  // namespace concilio::mpiio
