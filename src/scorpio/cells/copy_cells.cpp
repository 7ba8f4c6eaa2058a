#include "scorpio/cells/copy_cells.h"

#include "base/copy_bytes.h"
#include "scorpio/cells/pieces.h"
#include "scorpio/ranks/agreement.h"

namespace concilio::scorpio {
void copy_cells(const Box& part, const Array& from, const Array& to, int64_t cell_bytes) {
  if (part.empty()) return;
  for_each_piece(part, from.box, to.box, cell_bytes, [&](int64_t source, int64_t target, int64_t bytes) {
    copy_bytes(to.data + target, from.data + source, bytes);
    return true;
  });
}

Result<Described> describe(const Box& part, const Array& array, int64_t cell_bytes) {
  const auto strides = strides_of(array.box, cell_bytes);
  const size_t outer = part.ndims() - dimensions_in_one_piece(part, array.box);
  int64_t piece_bytes = cell_bytes;
  for (size_t d = outer; d < part.ndims(); ++d) piece_bytes *= part.count[d];
  MPI_Datatype type = MPI_DATATYPE_NULL;
  // A part is no larger than a buffer, so that counts fit into an int. Strides may not.
  int code = MPI_Type_contiguous(static_cast<int>(piece_bytes), MPI_BYTE, &type);
  for (size_t d = outer; code == MPI_SUCCESS && d-- > 0;) {
    MPI_Datatype inner = type;
    code = MPI_Type_create_hvector(static_cast<int>(part.count[d]), 1, strides[d], inner, &type);
    MPI_Type_free(&inner);
  }
  if (code == MPI_SUCCESS) code = MPI_Type_commit(&type);
  if (Status status = mpi::checked_mpi(code, "describing a part of an array"); !status) return status.error();
  return Described{array.data + offset_of(part, array.box, strides), type};
}

}  // namespace concilio::scorpio
