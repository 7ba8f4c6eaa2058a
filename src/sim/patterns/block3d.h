// A 3-D array of doubles, or of integers, in row-major order, decomposed into equal blocks, as in MPICH's
// coll_perf (DIST3D).
#pragma once

#include <array>

#include "sim/patterns/parameters.h"

namespace concilio::sim {

struct Block3d {
  using Triple = std::array<int64_t, 3>;
  Triple grid;   // of ranks, as MPI_Dims_create makes it
  Triple block;  // cells of one rank
  int64_t cell_bytes = sizeof(double);

  int64_t edge(size_t axis) const { return grid[axis] * block[axis]; }
  Triple first_cell(int rank) const {
    return {rank / (grid[1] * grid[2]) * block[0], rank / grid[2] % grid[1] * block[1],
            rank % grid[2] * block[2]};
  }
};
inline constexpr PatternWords block3d_words = {"block3d", "[:EDGE/BYTES]",
                                               "3-D array of doubles, decomposed in blocks (coll_perf, "
                                               "DIST3D); or one of EDGE^3 cells of BYTES (4 or 8), "
                                               "whatever the MiB"};
Result<Block3d> block3d_of(const Parameters& parameters, const Size& size);

}  // namespace concilio::sim
