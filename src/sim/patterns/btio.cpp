#include "sim/patterns/btio.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/checked.h"
#include "sim/pattern.h"

namespace concilio::sim {
namespace {

// A cube whose edge is `points` points, within one whose edge is `edge` points.
Result<pattern::NestRef> cell(int64_t points, int64_t edge) {
  const Result<pattern::NestRef> plane = series(points * Btio::point_bytes, points, edge * Btio::point_bytes);
  return plane ? pattern::Nest::repeat(*plane, points, edge * edge * Btio::point_bytes) : plane;
}

}  // namespace

std::string Btio::note() const {
  if (side * side == ranks) return {};
  return fmt::format("btio needs a square number of ranks: {} of {} have data", side * side, ranks);
}

Result<Btio> btio_of(const Parameters& parameters, const Size& size) {
  if (!parameters.empty()) return malformed("takes no parameter");
  int64_t side = 1;
  while ((side + 1) * (side + 1) <= size.ranks) ++side;
  const double wanted = static_cast<double>(size.bytes_per_rank) / static_cast<double>(Btio::point_bytes) /
                        static_cast<double>(side);
  return Btio{size.ranks, side, std::max<int64_t>(1, std::lround(std::cbrt(wanted)))};
}

Result<Pattern> btio(const Parameters& parameters, const Size& size) {
  const Result<Btio> made = btio_of(parameters, size);
  if (!made) return made.error();
  const Btio cube = *made;
  const int64_t edge = cube.edge(), width = cube.width(), ghosts = Btio::ghost_points;
  const auto plane = checked_multiply(edge * edge, Btio::point_bytes);
  if (!plane || !checked_multiply(*plane, edge)) return malformed("the file is larger than files can be");
  const Result<pattern::NestRef> in_file = cell(cube.cell_points, edge),
                                 in_memory = cell(cube.cell_points, width);
  if (!in_file) return in_file.error();
  if (!in_memory) return in_memory.error();
  const Result<pattern::NestRef> memory =
      pattern::Nest::repeat(*in_memory, cube.side, cube.cell_memory_bytes(),
                            ((ghosts * width + ghosts) * width + ghosts) * Btio::point_bytes);
  if (!memory) return memory.error();
  return Pattern{1, cube.note(), [=, in_file = *in_file, memory = *memory](int rank, int) {
                   if (!cube.has_data(rank)) return Request{};
                   std::vector<pattern::Nest::Part> cells;
                   for (int64_t slab = 0; slab < cube.side; ++slab) {
                     const auto first = cube.first_point(rank, slab);
                     const int64_t point = (first[0] * edge + first[1]) * edge + first[2];
                     cells.push_back({point * Btio::point_bytes, 0, in_file});
                   }
                   const Result<pattern::NestRef> all = pattern::Nest::sequence(std::move(cells));
                   // The sizes were checked above, for the whole file.
                   return all ? Request{whole(*all, 0), whole(memory, 0), (*all)->size()} : Request{};
                 }};
}

}  // namespace concilio::sim
