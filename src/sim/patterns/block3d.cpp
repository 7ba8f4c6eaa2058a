#include "sim/patterns/block3d.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/checked.h"
#include "sim/pattern.h"

namespace concilio::sim {
namespace {

using Triple = Block3d::Triple;

// The process grid that is as near to a cube as the number of ranks allows, with the longest edge first, as
// MPI_Dims_create makes it.
Triple grid_of(int64_t ranks) {
  Triple best = {ranks, 1, 1};
  for (int64_t a = 1; a * a * a <= ranks; ++a) {
    if (ranks % a != 0) continue;
    for (int64_t b = a; b * b <= ranks / a; ++b) {
      if (ranks / a % b != 0) continue;
      const Triple found = {ranks / a / b, b, a};
      if (found[0] - found[2] < best[0] - best[2]) best = found;
    }
  }
  return best;
}

Result<Block3d> cube_of(const std::string& text, int ranks) {
  const auto [edge, cell_bytes] = piece_bytes_pair(text);
  if (edge == 0 || (cell_bytes != sizeof(int32_t) && cell_bytes != sizeof(double)))
    return malformed("EDGE/BYTES are the cells of an edge and the 4 or 8 bytes of a cell, as 512/4");
  Block3d cube{grid_of(ranks), {}, cell_bytes};
  for (size_t axis = 0; axis < 3; ++axis) {
    if (edge % cube.grid[axis] != 0)
      return malformed(
          fmt::format("an edge of {} cells cannot be cut into {} equal parts", edge, cube.grid[axis]));
    cube.block[axis] = edge / cube.grid[axis];
  }
  return cube;
}

}  // namespace

Result<Block3d> block3d_of(const Parameters& parameters, const Size& size) {
  if (parameters.size() > 1) return malformed("takes one parameter at most");
  if (!parameters.empty()) return cube_of(parameters[0], size.ranks);
  const double cells = static_cast<double>(size.bytes_per_rank) / sizeof(double);
  const int64_t edge = std::max(1, static_cast<int>(std::cbrt(cells)));
  const auto edges = static_cast<double>(edge * edge);
  return Block3d{grid_of(size.ranks), {std::max<int64_t>(1, std::lround(cells / edges)), edge, edge}};
}

Result<Pattern> block3d(const Parameters& parameters, const Size& size) {
  const Result<Block3d> array = block3d_of(parameters, size);
  if (!array) return array.error();
  const Triple& block = array->block;
  const int64_t cell_bytes = array->cell_bytes, row_bytes = array->edge(2) * cell_bytes;
  const auto plane_bytes = checked_multiply(row_bytes, array->edge(1));
  if (!plane_bytes || !checked_multiply(*plane_bytes, array->edge(0)))
    return malformed("the file is larger than files can be");
  const Result<pattern::NestRef> plane = series(block[2] * cell_bytes, block[1], row_bytes);
  if (!plane) return plane.error();
  const Result<pattern::NestRef> cube = pattern::Nest::repeat(*plane, block[0], *plane_bytes);
  if (!cube) return cube.error();
  return Pattern{1, "", [array = *array, cube = *cube, row_bytes, plane_bytes = *plane_bytes](int rank, int) {
                   const Triple first = array.first_cell(rank);
                   const int64_t offset =
                       first[0] * plane_bytes + first[1] * row_bytes + first[2] * array.cell_bytes;
                   return Request{whole(cube, offset), pattern::Access::contiguous(0), cube->size()};
                 }};
}

}  // namespace concilio::sim
