// Finds the MPI's own functions, which ours hide. A plain call of PMPI_File_x would call Concilio itself.
#pragma once

namespace concilio::bind {

// The definition of `symbol` behind ours in the search order. If there is none, writes a message and returns
// nullptr.
void* find_next(const char* symbol);

}  // namespace concilio::bind

// A pointer to the MPI's own PMPI form of an MPI function, which is looked up once.
#define CONCILIO_NEXT(name)                                                                             \
  ([] {                                                                                                 \
    static const auto next = reinterpret_cast<decltype(&name)>(::concilio::bind::find_next("P" #name)); \
    return next;                                                                                        \
  }())
