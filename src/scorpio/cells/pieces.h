// The pieces in which a box's cells lie in two dense arrays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "scorpio/cells/box.h"

namespace concilio::scorpio {

// Returns how many of the fastest varying dimensions of `part` are contiguous in `box`: those that it covers
// wholly, and one more.
inline size_t dimensions_in_one_piece(const Box& part, const Box& box) {
  size_t dimensions = 1;
  for (size_t d = part.ndims(); d-- > 1 && part.count[d] == box.count[d];) ++dimensions;
  return std::min(dimensions, part.ndims());
}

// Bytes from a cell to its neighbour along each dimension.
inline std::vector<int64_t> strides_of(const Box& box, int64_t cell_bytes) {
  std::vector<int64_t> strides(box.ndims());
  int64_t stride = cell_bytes;
  for (size_t d = box.ndims(); d-- > 0;) {
    strides[d] = stride;
    stride *= box.count[d];
  }
  return strides;
}

// Returns how far the first cell of `part` is from that of `box`.
inline int64_t offset_of(const Box& part, const Box& box, const std::vector<int64_t>& strides) {
  int64_t offset = 0;
  for (size_t d = 0; d < strides.size(); ++d) offset += (part.start[d] - box.start[d]) * strides[d];
  return offset;
}

// Calls piece(offset in an array of `from`, offset in one of `to`, bytes) -> bool for each piece of `part`,
// which lies within both boxes and is not empty, until a call returns false.
template <typename Piece>
void for_each_piece(const Box& part, const Box& from, const Box& to, int64_t cell_bytes, Piece piece) {
  const size_t in_one = std::min(dimensions_in_one_piece(part, from), dimensions_in_one_piece(part, to));
  const size_t outer = part.ndims() - in_one;
  int64_t piece_bytes = cell_bytes;
  for (size_t d = outer; d < part.ndims(); ++d) piece_bytes *= part.count[d];
  const auto from_strides = strides_of(from, cell_bytes), to_strides = strides_of(to, cell_bytes);
  int64_t source = offset_of(part, from, from_strides), target = offset_of(part, to, to_strides);
  std::vector<int64_t> index(outer, 0);
  while (piece(source, target, piece_bytes)) {
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

}  // namespace concilio::scorpio
