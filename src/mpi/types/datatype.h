// MPI datatypes as patterns: decodes every combiner once and keeps the result as an attribute on the
// datatype, dropped with it.
#pragma once

#include <mpi.h>

#include <memory>

#include "base/budget.h"
#include "base/result.h"
#include "mpi/types/envelope.h"
#include "pattern/datatype.h"
#include "pattern/signature.h"

namespace concilio {

// The pattern of `type`, which must be valid and committed or predefined. Thread-safe. Kind `datatype` for a
// type that cannot be transferred (MPI_DATATYPE_NULL, ...). What it takes to decode it is charged meanwhile;
// what the pattern takes, its user charges.
Result<std::shared_ptr<const DataType>> decode(MPI_Datatype type, Budget& budget);

// What a datatype is in a file of some representation: its layout there, which is without padding, in which
// displacements given in elements count the elements' extents in the file and displacements given in bytes
// stand as they are; and its items.
struct FileForm {
  DataType layout;
  SignatureRef signature = Signature::empty();
  int64_t memory_bytes() const { return layout.nest->memory_bytes() + signature->memory_bytes(); }
};

// The same for a file. Also fails as the representation does.
class Representation;
Result<std::shared_ptr<const FileForm>> decode(MPI_Datatype type, const Representation& representation,
                                               Budget& budget);

}  // namespace concilio
