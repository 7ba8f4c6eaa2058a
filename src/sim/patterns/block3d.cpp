// A 3-D array of doubles in row-major order, decomposed into equal blocks, as in MPICH's coll_perf (DIST3D).
#include <algorithm>
#include <array>
#include <cmath>

#include "base/checked.h"
#include "sim/pattern.h"

namespace concilio::sim {
namespace {

using Triple = std::array<int64_t, 3>;
constexpr int64_t cell_bytes = sizeof(double);

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

}  // namespace

Result<Pattern> block3d(const Parameters& parameters, const Size& size) {
  if (!parameters.empty()) return malformed("takes no parameter");
  const Triple grid = grid_of(size.ranks);
  const double cells = static_cast<double>(size.bytes_per_rank) / sizeof(double);
  const int64_t edge = std::max(1, static_cast<int>(std::cbrt(cells)));
  const auto edges = static_cast<double>(edge * edge);
  const Triple block = {std::max<int64_t>(1, std::lround(cells / edges)), edge, edge};
  const Triple whole_edge = {grid[0] * block[0], grid[1] * block[1], grid[2] * block[2]};
  const int64_t row_bytes = whole_edge[2] * cell_bytes;
  const auto plane_bytes = checked_multiply(row_bytes, whole_edge[1]);
  if (!plane_bytes || !checked_multiply(*plane_bytes, whole_edge[0]))
    return malformed("the file is larger than files can be");
  const Result<NestRef> plane = series(block[2] * cell_bytes, block[1], row_bytes);
  if (!plane) return plane.error();
  const Result<NestRef> cube = Nest::repeat(*plane, block[0], *plane_bytes);
  if (!cube) return cube.error();
  return Pattern{1, "", [=, cube = *cube, plane_bytes = *plane_bytes](int rank, int) {
                   const int64_t first = rank / (grid[1] * grid[2]) * block[0] * plane_bytes +
                                         rank / grid[2] % grid[1] * block[1] * row_bytes +
                                         rank % grid[2] * block[2] * cell_bytes;
                   return Request{whole(cube, first), Access::contiguous(0), cube->size()};
                 }};
}

}  // namespace concilio::sim
