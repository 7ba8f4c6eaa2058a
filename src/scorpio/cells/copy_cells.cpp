#include "scorpio/cells/copy_cells.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "scorpio/ranks/agreement.h"

namespace concilio::scorpio {
namespace {

// Bytes from a cell to its neighbour along each dimension.
std::vector<int64_t> strides_of(const Box& box, int64_t cell_bytes) {
  std::vector<int64_t> strides(box.ndims());
  int64_t stride = cell_bytes;
  for (size_t d = box.ndims(); d-- > 0;) {
    strides[d] = stride;
    stride *= box.count[d];
  }
  return strides;
}

int64_t offset_of(const Box& part, const Box& box, const std::vector<int64_t>& strides) {
  int64_t offset = 0;
  for (size_t d = 0; d < strides.size(); ++d) offset += (part.start[d] - box.start[d]) * strides[d];
  return offset;
}

// Returns how many of the fastest varying dimensions of `part` are contiguous in `box`: those that it covers
// wholly, and one more.
size_t dimensions_in_one_piece(const Box& part, const Box& box) {
  size_t dimensions = 1;
  for (size_t d = part.ndims(); d-- > 1 && part.count[d] == box.count[d];) ++dimensions;
  return std::min(dimensions, part.ndims());
}

}  // namespace

void copy_cells(const Box& part, const Array& from, const Array& to, int64_t cell_bytes) {
  if (part.empty()) return;
  const size_t in_one =
      std::min(dimensions_in_one_piece(part, from.box), dimensions_in_one_piece(part, to.box));
  const size_t outer = part.ndims() - in_one;
  int64_t piece_bytes = cell_bytes;
  for (size_t d = outer; d < part.ndims(); ++d) piece_bytes *= part.count[d];
  const auto from_strides = strides_of(from.box, cell_bytes), to_strides = strides_of(to.box, cell_bytes);
  const std::byte* source = from.data + offset_of(part, from.box, from_strides);
  std::byte* target = to.data + offset_of(part, to.box, to_strides);
  std::vector<int64_t> index(outer, 0);
  while (true) {
    std::memcpy(target, source, static_cast<size_t>(piece_bytes));
    size_t d = outer;
    while (d > 0) {
      --d;
      source += from_strides[d];
      target += to_strides[d];
      if (++index[d] < part.count[d]) break;
      source -= part.count[d] * from_strides[d];
      target -= part.count[d] * to_strides[d];
      index[d] = 0;
      if (d == 0) return;
    }
    if (outer == 0) return;
  }
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
