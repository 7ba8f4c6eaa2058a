// The datatypes that MPI itself has, as basic items.
#pragma once

#include <mpi.h>

#include <vector>

#include "base/result.h"
#include "mpi/types/envelope.h"
#include "pattern/item.h"

namespace concilio {

// An entry of the type map of a permanent type. `item.file_bytes` is what external32 has for it; 0: nothing.
struct BasicType {
  MPI_Datatype type;
  Item item;
};

// The items of a permanent type: one, the two of a pair, or none (MPI-1's bound markers). Kind `datatype` for
// a type that is not known.
Result<std::vector<BasicType>> basic_types_of(MPI_Datatype type, const Envelope& envelope);

// MPI-1's markers of a datatype's bounds.
enum class BoundMarker { none, lower, upper };
BoundMarker bound_marker(MPI_Datatype type);

// The name that MPI knows the type by, for messages.
std::string name_of(MPI_Datatype type);

}  // namespace concilio
