// The program's own exchange in rows (methods/rows_way.cpp), measured as the library's calls are.
#pragma once

#include "measure/harness.h"
#include "methods/way.h"

namespace concilio::bench {

struct RowsOutcome {
  Outcome outcome;      // without what is of MPI-IO alone
  Exchanged exchanged;  // by this rank, in each call
};

// Collective over MPI_COMM_WORLD.
RowsOutcome run_rows(const Pattern& pattern, const RunOptions& options);

}  // namespace concilio::bench
