// The predefined datatypes of MPI, as basic items.
#pragma once

#include <mpi.h>

#include <vector>

#include "base/result.h"
#include "mpi/types/envelope.h"
#include "pattern/item.h"

namespace concilio::mpi {

// One entry of the type map of a permanent type. `item.file_bytes` is its size in external32, or 0 if
// external32 does not define one.
struct BasicType {
  MPI_Datatype type;
  pattern::Item item;
};

// The items of a permanent type: one item, or the two items of a pair, or none for MPI-1's bound markers.
// Returns an error of kind `datatype` for a type that is not known.
Result<std::vector<BasicType>> basic_types_of(MPI_Datatype type, const Envelope& envelope);

// MPI-1's markers of a datatype's lower and upper bound.
enum class BoundMarker { none, lower, upper };
BoundMarker bound_marker(MPI_Datatype type);

// MPI's name of the type, for messages.
std::string name_of(MPI_Datatype type);

}  // namespace concilio::mpi
