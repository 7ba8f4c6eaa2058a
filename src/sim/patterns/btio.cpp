// The file of the NAS benchmark BTIO ("full" variant): a cube of points of five doubles, cut into q*q*q cells
// for q*q ranks. Each rank has q cells, one in every slab, along a diagonal. In memory each cell has two
// ghost points on every side.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/checked.h"
#include "sim/pattern.h"

namespace concilio::sim {
namespace {

constexpr int64_t ghost_points = 2, point_bytes = 5 * sizeof(double);

// A cube whose edge is `points` points, within one whose edge is `edge` points.
Result<NestRef> cell(int64_t points, int64_t edge) {
  const Result<NestRef> plane = series(points * point_bytes, points, edge * point_bytes);
  return plane ? Nest::repeat(*plane, points, edge * edge * point_bytes) : plane;
}

}  // namespace

Result<Pattern> btio(const Parameters& parameters, const Size& size) {
  if (!parameters.empty()) return malformed("takes no parameter");
  int64_t side = 1;
  while ((side + 1) * (side + 1) <= size.ranks) ++side;
  const double wanted =
      static_cast<double>(size.bytes_per_rank) / static_cast<double>(point_bytes) / static_cast<double>(side);
  const int64_t points = std::max<int64_t>(1, std::lround(std::cbrt(wanted)));
  const int64_t edge = side * points, width = points + 2 * ghost_points;
  const auto plane = checked_multiply(edge * edge, point_bytes);
  if (!plane || !checked_multiply(*plane, edge)) return malformed("the file is larger than files can be");
  const Result<NestRef> in_file = cell(points, edge), in_memory = cell(points, width);
  if (!in_file) return in_file.error();
  if (!in_memory) return in_memory.error();
  const Result<NestRef> memory =
      Nest::repeat(*in_memory, side, width * width * width * point_bytes,
                   (ghost_points * width + ghost_points) * width * point_bytes + ghost_points * point_bytes);
  if (!memory) return memory.error();
  const int64_t used = side * side;
  const std::string note =
      used == size.ranks
          ? ""
          : fmt::format("btio needs a square number of ranks: {} of {} have data", used, size.ranks);
  return Pattern{1, note, [=, in_file = *in_file, memory = *memory](int rank, int) {
                   if (rank >= used) return Request{};
                   std::vector<Nest::Part> cells;
                   for (int64_t slab = 0; slab < side; ++slab) {
                     // From slab to slab, a rank's cell is one further to the right and one further up,
                     // wrapping around at the borders.
                     const int64_t x = (rank % side + slab) % side, y = (rank / side - slab + side) % side;
                     const int64_t point = (slab * points * edge + y * points) * edge + x * points;
                     cells.push_back({point * point_bytes, 0, in_file});
                   }
                   const Result<NestRef> all = Nest::sequence(std::move(cells));
                   // The sizes were checked above, for the whole file.
                   return all ? Request{whole(*all, 0), whole(memory, 0), (*all)->size()} : Request{};
                 }};
}

}  // namespace concilio::sim
