// An array in row-major order, decomposed into equal blocks: one of 3 dimensions, of doubles or of integers,
// as in MPICH's coll_perf (DIST3D), or one of 4 dimensions, of the sites of a lattice, as in MPICH's issue
// 7935.
#pragma once

#include <array>

#include "sim/patterns/parameters.h"

namespace concilio::sim {

template <size_t axes>
struct BlockArray {
  using Tuple = std::array<int64_t, axes>;
  Tuple grid;   // of ranks, as MPI_Dims_create makes it
  Tuple block;  // cells of one rank
  int64_t cell_bytes;

  int64_t edge(size_t axis) const { return grid[axis] * block[axis]; }
  Tuple first_cell(int64_t rank) const {
    Tuple first{};
    for (size_t axis = axes; axis-- > 0; rank /= grid[axis]) first[axis] = rank % grid[axis] * block[axis];
    return first;
  }
};
using Block3d = BlockArray<3>;
using Block4d = BlockArray<4>;

inline constexpr PatternWords block3d_words = {"block3d", "[:EDGE/BYTES]",
                                               "3-D array of doubles, decomposed in blocks (coll_perf, "
                                               "DIST3D); or one of EDGE^3 cells of BYTES (4 or 8), "
                                               "whatever the MiB"};
inline constexpr PatternWords block4d_words = {"block4d", "[:BYTES]",
                                               "4-D array of cells of BYTES (576), decomposed in blocks "
                                               "(fields of lattice QCD)"};
Result<Block3d> block3d_of(const Parameters& parameters, const Size& size);
Result<Block4d> block4d_of(const Parameters& parameters, const Size& size);

}  // namespace concilio::sim
