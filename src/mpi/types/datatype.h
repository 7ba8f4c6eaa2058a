// Decodes MPI datatypes into patterns. The result is kept as an attribute on the datatype, which goes away
// with it, so that a datatype that is used often is decoded once.
#pragma once

#include <mpi.h>

#include <memory>

#include "base/budget.h"
#include "base/result.h"
#include "mpi/types/envelope.h"
#include "pattern/datatype.h"
#include "pattern/signature.h"

namespace concilio::mpi {

// An error of kind `datatype` if `type`, which must be valid, is not committed, as the MPIs' own MPI-IO gives
// it. `what` names the datatype's part in the call. The communicator is one whose errors are returned.
Status check_committed(MPI_Datatype type, const char* what, MPI_Comm comm);

// The pattern of `type`, which must be valid, and committed or predefined. Thread-safe. Returns an error of
// kind `datatype` for a type that cannot be transferred (MPI_DATATYPE_NULL, ...). The memory that decoding
// takes is charged to the budget for as long as decoding lasts; the memory of the pattern is charged by its
// user.
//
// Libraries such as HDF5 make a filetype for each access, and to keep its pattern takes longer than to decode
// it. Where reuse is unlikely, a short datatype is kept only when it has been decoded several times.
enum class Reuse { likely, unlikely };
Result<std::shared_ptr<const pattern::DataType>> decode(MPI_Datatype type, Budget& budget,
                                                        Reuse reuse = Reuse::likely);

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
