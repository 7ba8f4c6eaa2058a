// Moves cells between two dense arrays in memory, by copying or by an MPI datatype.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "base/result.h"
#include "scorpio/cells/box.h"

namespace concilio::scorpio {

// A dense array in C order that holds the cells of `box`.
struct Array {
  const Box& box;
  std::byte* data;
};

// Copies the cells of `part`, which lies within the boxes of both arrays.
void copy_cells(const Box& part, const Array& from, const Array& to, int64_t cell_bytes);

// Where the first cell of `part` lies in the array, and the datatype that describes the part's cells from
// there on, in C order.
struct Described {
  std::byte* first;
  MPI_Datatype type;  // committed; the caller frees it
};
Result<Described> describe(const Box& part, const Array& array, int64_t cell_bytes);

}  // namespace concilio::scorpio
