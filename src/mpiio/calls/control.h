// What a program can ask of an open file, and set in it, besides MPI-IO: the functions behind
// concilio/file.h.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/counters.h"
#include "base/result.h"
#include "plan/choose/candidate.h"

namespace concilio::mpiio {

class File;

int64_t counter_of(File& file, Counter counter);

struct LastCall {
  const char* method;  // static text; nullptr: there was no call
  std::string reason;
};
LastCall last_call(File& file);

// A method that the last call could have taken. Empty if `index` is not that of a candidate.
std::optional<plan::Candidate> last_candidate(File& file, int index);

struct MemoryUse {
  int64_t limit_bytes, current_bytes, high_water_bytes;
};
MemoryUse memory_use(File& file);

// Sets the method of later calls; nullptr means auto. Collective, with the same outcome on every rank. Kinds
// of errors: argument, not_same, and unsupported if the user's environment sets the method.
Status set_method(File& file, const char* method);

// The arguments as the program gives them: `count` types and `count` displacements.
struct RealmArguments {
  int count;
  const MPI_Datatype* types;
  const MPI_Offset* displacements;
};
// Sets the realms of later calls. If `count` is 0, the plan makes its own realms again. Collective, with the
// same outcome on every rank. Kinds of errors: argument, not_same, unsupported if a hint asks for other
// realms, and datatype if these cannot be realms.
Status set_realms(File& file, const RealmArguments& realms);

// The message of the last of these calls that failed on this rank; empty if none did.
std::string error_message(File& file);

}  // namespace concilio::mpiio
