// The datasets that are moved, and the values in them, which follow from their place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scorpio/decomposition.h"

namespace concilio::bench::scorpio {

enum class Type { integer, real };

struct Dataset {
  std::string name;
  Type type = Type::integer;
  uint64_t number = 0;  // its values differ from the other datasets'

  int64_t element_bytes() const { return type == Type::integer ? sizeof(int32_t) : sizeof(double); }
};

// What one run moves: each dataset is read from one file and written to another.
struct Workload {
  bool blocks = false;
  Extents grid;       // as it was asked for
  Extents extents;    // of each dataset: the grid, or as one dimension
  Extents processes;  // in each dimension
  std::vector<Dataset> datasets;
  Part part;             // of this rank
  bool uniform = false;  // all ranks have parts of the same extents

  int64_t bytes() const;       // of all datasets, all ranks
  int64_t part_bytes() const;  // of the largest dataset, this rank
};

// Two vectors, each rank a slab.
Workload make_vectors(const Extents& grid, int rank, int ranks);
// Variables on the grid, each rank a block.
Workload make_blocks(const Extents& grid, const Extents& processes, int variables, int rank);

// The values of `part` of a dataset with these extents.
void fill(const Dataset& dataset, const Extents& extents, const Part& part, void* data);
// Empty where they are right; else the first that is wrong.
std::string check(const Dataset& dataset, const Extents& extents, const Part& part, const void* data);

}  // namespace concilio::bench::scorpio
