// Which part of a grid a rank has.
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

// "64x64x240": three extents, each at least 1.
std::optional<Extents> parse_extents(const std::string& text);

// Each of the two: the first ranks have one element (of a dimension) more where it does not come out even.
Part slab_of(int64_t total, int rank, int ranks);
Part block_of(const Extents& grid, const Extents& processes, int rank);

// Processes in each dimension, as near to a cube as their number allows, most of them along the fastest
// varying one, which is how PETSc divides a cube. Only MPI's own arithmetic.
Extents near_cube(int ranks);

}  // namespace concilio::bench::scorpio
