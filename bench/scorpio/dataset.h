// The datasets that are moved. Their values follow from the position of an element.
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
  uint64_t number = 0;  // makes its values differ from those of other datasets

  int64_t element_bytes() const { return type == Type::integer ? sizeof(int32_t) : sizeof(double); }
};

// What a run moves: each dataset is read from one file and written to another.
struct Workload {
  bool blocks = false;
  Extents grid;       // as the user gave it
  Extents extents;    // of each dataset: those of the grid, or its number of cells in one dimension
  Extents processes;  // in each dimension
  std::vector<Dataset> datasets;
  Part part;             // of this rank
  bool uniform = false;  // whether all ranks have parts of the same extents

  int64_t bytes() const;       // of all datasets and all ranks
  int64_t part_bytes() const;  // of the largest dataset, on this rank
};

// Two vectors, of which each rank has a slab.
Workload make_vectors(const Extents& grid, int rank, int ranks);
// Several variables on the grid, of which each rank has a block.
Workload make_blocks(const Extents& grid, const Extents& processes, int variables, int rank);

// The values in `part` of a dataset with these extents.
void fill(const Dataset& dataset, const Extents& extents, const Part& part, void* data);
// Returns the first wrong value as a text, or an empty text if all are right.
std::string check(const Dataset& dataset, const Extents& extents, const Part& part, const void* data);

}  // namespace concilio::bench::scorpio
