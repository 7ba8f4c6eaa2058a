// Where each rank's data lies in the file, as a grid: a column is a stretch of the file, and a row is one or
// more ranks.
#pragma once

#include <vector>

#include "plan/facts/facts.h"
#include "sim/gather.h"
#include "sim/pattern.h"

namespace concilio::sim {

struct Raster {
  struct Row {
    int64_t first_rank = 0, ranks = 0;
    size_t first_node = 0, nodes = 1;     // nodes that these ranks are on
    std::vector<double> bytes_of_column;  // of all these ranks together
  };
  pattern::Interval range;  // of file offsets
  int columns = 0;
  std::vector<Row> rows;  // by rank; a row has ranks of one node, unless there are more nodes than rows

  int64_t border(int column) const;  // 0 <= column <= columns
};

// The raster of a pattern, in at most about `rows` rows.
Raster raster_of(const Pattern& pattern, int call, const Machine& machine, pattern::Interval range,
                 int columns, int rows);
// The raster of facts alone, which tell only in which spans the data of each node lies. A node's bytes count
// as spread evenly over its spans.
Raster raster_of(const plan::Facts& facts, int columns, int rows);

}  // namespace concilio::sim
