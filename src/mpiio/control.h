// What a program may learn of a file of ours, and settle in it, besides MPI-IO: the bodies of
// concilio/file.h.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/counters.h"
#include "base/result.h"

namespace concilio::mpiio {

class File;

int64_t counter_of(File& file, Counter counter);

struct LastCall {
  const char* method;  // static; nullptr: there was none
  std::string reason;
};
LastCall last_call(File& file);

// A method that the last call could have taken.
struct LastCandidate {
  const char* method;  // static
  bool legal, chosen;
  double predicted_seconds, measured_seconds;  // below 0: not possible; has not run
};
// Nothing behind the last.
std::optional<LastCandidate> last_candidate(File& file, int index);

struct MemoryUse {
  int64_t limit_bytes, current_bytes, high_water_bytes;
};
MemoryUse memory_use(File& file);

// Collective; the same outcome on every rank. nullptr: auto. Kinds: argument, not_same, unsupported where
// the user's side settled it.
Status set_method(File& file, const char* method);

// As the program gives them: `count` of each.
struct RealmArguments {
  int count;
  const MPI_Datatype* types;
  const MPI_Offset* displacements;
};
// Collective; the same outcome on every rank. No realms: the plan's own again. Kinds: argument, not_same,
// unsupported where a hint asks for others, datatype where they are no realms.
Status set_realms(File& file, const RealmArguments& realms);

// What was wrong when one of these last failed on this rank; empty: none did.
std::string error_message(File& file);

}  // namespace concilio::mpiio
