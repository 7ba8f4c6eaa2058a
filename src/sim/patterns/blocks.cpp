#include "sim/patterns/blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/checked.h"
#include "sim/pattern.h"

namespace concilio::sim {
namespace {

// The four 3 x 3 matrices of complex doubles that a site of a lattice has in quantum chromodynamics.
constexpr int64_t site_bytes = 576;

// Cuts `ranks` into factors from `axis` on, none above the one before it, and keeps in `best` those that are
// nearest to each other.
template <size_t axes>
void divide(int64_t ranks, size_t axis, std::array<int64_t, axes>& grid, std::array<int64_t, axes>& best) {
  const int64_t most = axis == 0 ? ranks : std::min(ranks, grid[axis - 1]);
  if (axis + 1 == axes) {
    grid[axis] = ranks;
    if (ranks <= most && grid[0] - ranks < best[0] - best[axis]) best = grid;
    return;
  }
  for (int64_t factor = 1; factor <= most; ++factor) {
    if (ranks % factor != 0) continue;
    grid[axis] = factor;
    divide(ranks / factor, axis + 1, grid, best);
  }
}

// The grid of ranks that is as near to a cube as their number allows, with the longest edge first, as
// MPI_Dims_create makes it.
template <size_t axes>
std::array<int64_t, axes> grid_of(int64_t ranks) {
  std::array<int64_t, axes> grid{}, best;
  best.fill(1);
  best[0] = ranks;
  divide(ranks, 0, grid, best);
  return best;
}

// As many cells as fit the size, as nearly as the edges of a cube allow. The first edge makes up for the
// rest.
template <size_t axes>
BlockArray<axes> blocks_of(const Size& size, int64_t cell_bytes) {
  const double cells = static_cast<double>(size.bytes_per_rank) / static_cast<double>(cell_bytes);
  const auto edge = std::max<int64_t>(1, static_cast<int64_t>(std::pow(cells, 1.0 / axes) + 1e-9));
  BlockArray<axes> blocks{grid_of<axes>(size.ranks), {}, cell_bytes};
  blocks.block.fill(edge);
  const double others = std::pow(static_cast<double>(edge), static_cast<double>(axes - 1));
  blocks.block[0] = std::max<int64_t>(1, std::llround(cells / others));
  return blocks;
}

Result<Block3d> cube_of(const std::string& text, int ranks) {
  const auto [edge, cell_bytes] = piece_bytes_pair(text);
  if (edge == 0 || (cell_bytes != sizeof(int32_t) && cell_bytes != sizeof(double)))
    return malformed("EDGE/BYTES are the cells of an edge and the 4 or 8 bytes of a cell, as 512/4");
  Block3d cube{grid_of<3>(ranks), {}, cell_bytes};
  for (size_t axis = 0; axis < 3; ++axis) {
    if (edge % cube.grid[axis] != 0)
      return malformed(
          fmt::format("an edge of {} cells cannot be cut into {} equal parts", edge, cube.grid[axis]));
    cube.block[axis] = edge / cube.grid[axis];
  }
  return cube;
}

template <size_t axes>
Result<Pattern> pattern_of(const Result<BlockArray<axes>>& made) {
  if (!made) return made.error();
  const BlockArray<axes>& array = *made;
  std::array<int64_t, axes> strides{};  // in bytes, from a cell to the next one along an axis
  std::optional<int64_t> stride = array.cell_bytes;
  for (size_t axis = axes; axis-- > 0;) {
    strides[axis] = *stride;
    stride = checked_multiply(*stride, array.edge(axis));
    if (!stride) return malformed("the file is larger than files can be");
  }
  Result<pattern::NestRef> nest = pattern::Nest::bytes(array.block[axes - 1] * array.cell_bytes);
  for (size_t axis = axes - 1; nest && axis-- > 0;)
    nest = pattern::Nest::repeat(*nest, array.block[axis], strides[axis]);
  if (!nest) return nest.error();
  return Pattern{1, "", [array, strides, block = *nest](int rank, int) {
                   const auto first = array.first_cell(rank);
                   int64_t offset = 0;
                   for (size_t axis = 0; axis < axes; ++axis) offset += first[axis] * strides[axis];
                   return Request{whole(block, offset), pattern::Access::contiguous(0), block->size()};
                 }};
}

}  // namespace

Result<Block3d> block3d_of(const Parameters& parameters, const Size& size) {
  if (parameters.size() > 1) return malformed("takes one parameter at most");
  if (!parameters.empty()) return cube_of(parameters[0], size.ranks);
  return blocks_of<3>(size, sizeof(double));
}

Result<Block4d> block4d_of(const Parameters& parameters, const Size& size) {
  if (parameters.size() > 1) return malformed("takes one parameter at most");
  const int64_t cell_bytes = parameters.empty() ? site_bytes : piece_bytes(parameters[0]);
  if (cell_bytes == 0) return malformed(fmt::format("BYTES is {}", piece_bytes_rule));
  return blocks_of<4>(size, cell_bytes);
}

Result<Pattern> block3d(const Parameters& parameters, const Size& size) {
  return pattern_of(block3d_of(parameters, size));
}

Result<Pattern> block4d(const Parameters& parameters, const Size& size) {
  return pattern_of(block4d_of(parameters, size));
}

}  // namespace concilio::sim
