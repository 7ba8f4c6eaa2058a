// Decodes MPI datatypes into patterns. Each datatype is decoded once, and the result is kept as an attribute
// on it, which goes away with the datatype.
#pragma once

#include <mpi.h>

#include <memory>

#include "base/budget.h"
#include "base/result.h"
#include "mpi/types/envelope.h"
#include "pattern/datatype.h"
#include "pattern/signature.h"

namespace concilio::mpi {

// The pattern of `type`, which must be valid, and committed or predefined. Thread-safe. Returns an error of
// kind `datatype` for a type that cannot be transferred (MPI_DATATYPE_NULL, ...). The memory that decoding
// takes is charged to the budget for as long as decoding lasts; the memory of the pattern is charged by its
// user.
Result<std::shared_ptr<const pattern::DataType>> decode(MPI_Datatype type, Budget& budget);

// What a datatype is in a file of some representation: its items, and its layout. The layout has no padding.
// Displacements that were given in elements count the elements' extents in the file, and displacements that
// were given in bytes stay as they are.
struct FileForm {
  pattern::DataType layout;
  pattern::SignatureRef signature = pattern::Signature::empty();
  int64_t memory_bytes() const { return layout.nest->memory_bytes() + signature->memory_bytes(); }
};

// Decodes `type` into its form in a file. Also returns the errors of the representation.
class Representation;
Result<std::shared_ptr<const FileForm>> decode(MPI_Datatype type, const Representation& representation,
                                               Budget& budget);

}  // namespace concilio::mpi
