// The file of the NAS benchmark BTIO ("full" variant): a cube of points of five doubles, cut into q*q*q cells
// for q*q ranks. Each rank has q cells, one in every slab, along a diagonal. In memory each cell has two
// ghost points on every side.
#pragma once

#include <array>

#include "sim/patterns/parameters.h"

namespace concilio::sim {

struct Btio {
  int ranks;
  int64_t side;         // q
  int64_t cell_points;  // points of an edge of a cell
  static constexpr int64_t ghost_points = 2, doubles_per_point = 5;
  static constexpr int64_t point_bytes = doubles_per_point * sizeof(double);

  bool has_data(int rank) const { return rank < side * side; }
  int64_t edge() const { return side * cell_points; }               // points of an edge of the cube
  int64_t width() const { return cell_points + 2 * ghost_points; }  // likewise of a cell in memory
  int64_t cell_memory_bytes() const { return width() * width() * width() * point_bytes; }
  // From slab to slab, a rank's cell is one further to the right and one further up, wrapping around at the
  // borders.
  std::array<int64_t, 3> first_point(int rank, int64_t slab) const {
    const int64_t x = (rank % side + slab) % side, y = (rank / side - slab + side) % side;
    return {slab * cell_points, y * cell_points, x * cell_points};
  }
  std::string note() const;
};
inline constexpr PatternWords btio_words = {
    "btio", "", "NAS BTIO: diagonal multipartition of a 3-D grid, ghost cells in memory"};
Result<Btio> btio_of(const Parameters& parameters, const Size& size);

}  // namespace concilio::sim
