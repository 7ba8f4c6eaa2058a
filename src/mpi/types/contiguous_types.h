// The sizes of contiguous datatypes, found without a lock and without asking MPI.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace concilio::mpi {

// The size of a datatype whose bytes, and those of many one after another, are contiguous from the buffer's
// address on. 0 if it is not known to be one. Thread-safe.
int64_t contiguous_bytes(MPI_Datatype type);
// Whether a datatype is known to be contiguous, and to belong to MPI. Thread-safe.
bool known_permanent(MPI_Datatype type);
// Makes that known of a datatype. Where there is no room, it stays unknown. Thread-safe.
void note_contiguous(MPI_Datatype type, int64_t bytes, bool permanent);
// Must be called when a datatype goes away that was noted, since MPI may give its handle to another one.
// Takes no lock.
void forget_contiguous(MPI_Datatype type);

}  // namespace concilio::mpi
