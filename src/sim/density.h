// Where the data of every rank lies in the file, as a grid: columns are stretches of the file, rows ranks.
#pragma once

#include <vector>

#include "plan/facts/facts.h"
#include "sim/gather.h"
#include "sim/pattern.h"

namespace concilio::sim {

struct Raster {
  struct Row {
    int64_t first_rank = 0, ranks = 0;
    size_t first_node = 0, nodes = 1;     // that these ranks are on
    std::vector<double> bytes_of_column;  // of them all
  };
  Interval range;  // of the file
  int columns = 0;
  std::vector<Row> rows;  // by rank; nodes have whole rows, unless they are more than rows

  int64_t border(int column) const;  // 0 <= column <= columns
};

// Of a pattern, in about `rows` rows at most.
Raster raster_of(const Pattern& pattern, int call, const Machine& machine, Interval range, int columns,
                 int rows);
// Of facts alone, which tell where the data of nodes lie: a node's bytes count as spread evenly over its
// spans.
Raster raster_of(const Facts& facts, int columns, int rows);

}  // namespace concilio::sim
