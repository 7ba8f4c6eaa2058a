// The MPI datatype that a description means.
#pragma once

#include <mpi.h>

#include <optional>

#include "common/type_spec.h"

namespace tests {

// Whether this MPI still has MPI-1's markers of bounds. (Open MPI has names that do not compile.)
#if defined(MPICH_VERSION) && defined(MPI_LB) && defined(MPI_UB)
inline constexpr bool has_markers = true;
#else
inline constexpr bool has_markers = false;
#endif

// MPI_DATATYPE_NULL where this MPI has no such type.
MPI_Datatype mpi_type_of(size_t basic);
// Which of the agreed basic types this is.
std::optional<size_t> basic_of(MPI_Datatype type);

// Committed; the caller frees it with free_type (predefined types are left alone). MPI_DATATYPE_NULL if MPI
// fails and returns from its error handler.
MPI_Datatype build(const TypeSpec& type);
void free_type(MPI_Datatype* type);

}  // namespace tests
