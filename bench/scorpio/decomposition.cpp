#include "scorpio/decomposition.h"

#include <mpi.h>

#include <algorithm>
#include <charconv>

namespace concilio::bench::scorpio {

namespace {

void take_share(int64_t total, int64_t place, int64_t places, Part& part) {
  const int64_t each = total / places, more = total % places;
  part.extents.push_back(each + (place < more ? 1 : 0));
  part.starts.push_back(each * place + std::min(place, more));
}

}  // namespace

int64_t elements(const Extents& extents) {
  int64_t product = 1;
  for (const int64_t extent : extents) product *= extent;
  return product;
}

std::optional<Extents> parse_extents(const std::string& text) {
  constexpr int64_t most = 1 << 20;  // so that the product of three is below 2^63
  Extents grid;
  const char* place = text.data();
  const char* const end = place + text.size();
  for (int dimension = 0; dimension < 3; ++dimension) {
    if (dimension > 0 && (place == end || *place++ != 'x')) return std::nullopt;
    int64_t extent = 0;
    const auto [after, failed] = std::from_chars(place, end, extent);
    if (failed != std::errc() || extent < 1 || extent > most) return std::nullopt;
    grid.push_back(extent);
    place = after;
  }
  if (place != end) return std::nullopt;
  return grid;
}

Part slab_of(int64_t total, int rank, int ranks) {
  Part part;
  take_share(total, rank, ranks, part);
  return part;
}

Part block_of(const Extents& grid, const Extents& processes, int rank) {
  const int64_t places[] = {rank / (processes[1] * processes[2]), rank / processes[2] % processes[1],
                            rank % processes[2]};
  Part part;
  for (size_t dimension = 0; dimension < 3; ++dimension)
    take_share(grid[dimension], places[dimension], processes[dimension], part);
  return part;
}

Extents near_cube(int ranks) {
  int processes[3] = {};
  MPI_Dims_create(ranks, 3, processes);
  return {processes[2], processes[1], processes[0]};
}

}  // namespace concilio::bench::scorpio
