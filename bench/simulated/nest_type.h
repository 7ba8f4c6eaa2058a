// Datatypes of MPI that describe the bytes of a nest.
#pragma once

#include "base/result.h"
#include "patterns/pattern.h"
#include "sim/record.h"

namespace concilio::bench {

// The error says that the nest has longer lists than an MPI count can hold.
Result<Datatype> datatype_of(const sim::RecordedType& type);

}  // namespace concilio::bench
