// MPI datatypes as patterns: decodes every combiner once and keeps the result as an attribute on the
// datatype, dropped with it.
#pragma once

#include <mpi.h>

#include <memory>

#include "base/result.h"
#include "pattern/datatype.h"

namespace concilio {

// The pattern of `type`, which must be valid and committed or predefined. Thread-safe. Kind `datatype` for a
// type that cannot be transferred (MPI_DATATYPE_NULL, ...).
Result<std::shared_ptr<const DataType>> decode(MPI_Datatype type);

// Whether the handle belongs to MPI: never freed, and never given to another type.
bool is_permanent(MPI_Datatype type);

}  // namespace concilio
