// Makes the MPI datatype that a description stands for.
#pragma once

#include <mpi.h>

#include <optional>

#include "common/type_spec.h"

namespace tests {

// Whether this MPI still has MPI-1's markers of bounds. Open MPI declares names for them that do not compile.
#if defined(MPICH_VERSION) && defined(MPI_LB) && defined(MPI_UB)
inline constexpr bool has_markers = true;
#else
inline constexpr bool has_markers = false;
#endif

// MPI_DATATYPE_NULL if this MPI has no such type.
MPI_Datatype mpi_type_of(size_t basic);
// The index of a predefined type among the agreed basic types.
std::optional<size_t> basic_of(MPI_Datatype type);

// The type is committed, and the caller frees it with free_type, which ignores predefined types. Returns
// MPI_DATATYPE_NULL if MPI fails and its error handler returns.
MPI_Datatype build(const TypeSpec& type);
void free_type(MPI_Datatype* type);

}  // namespace tests
