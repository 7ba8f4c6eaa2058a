// Divides a grid among ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace concilio::bench::scorpio {

using Extents = std::vector<int64_t>;  // elements, the slowest varying dimension first

struct Part {
  Extents extents, starts;
};

int64_t elements(const Extents& extents);

// Parses three extents, each at least 1: "64x64x240".
std::optional<Extents> parse_extents(const std::string& text);

// Both functions give one more element (of a dimension) to the first ranks if the number cannot be divided
// evenly.
Part slab_of(int64_t total, int rank, int ranks);
Part block_of(const Extents& grid, const Extents& processes, int rank);

// Processes in each dimension, as near to a cube as their number allows, with most of them along the
// dimension that varies fastest, as PETSc divides a cube. It uses only MPI's own arithmetic.
Extents near_cube(int ranks);

}  // namespace concilio::bench::scorpio
