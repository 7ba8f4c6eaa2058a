// Cells between two dense arrays in memory, by copying or as an MPI datatype.
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

// The cells of `part`, which lies within both boxes.
void copy_cells(const Box& part, const Array& from, const Array& to, int64_t cell_bytes);

// Where the first cell of `part` lies in the array, and the type that describes its cells from there on, in C
// order.
struct Described {
  std::byte* first;
  MPI_Datatype type;  // committed; to be freed
};
Result<Described> describe(const Box& part, const Array& array, int64_t cell_bytes);

}  // namespace concilio::scorpio
