// Runs one pattern: opens a file, calls MPI-IO, takes times and memory, checks every byte.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "job/nodes.h"
#include "measure/mpi_file.h"
#include "patterns/pattern.h"

namespace concilio::bench {

struct RunOptions {
  std::string path;
  int repetitions = 5;
  bool collective = true;
  bool write = true;
  bool read = true;
  bool verify = true;
  bool sync = false;     // writes end with MPI_File_sync, inside their time
  bool overlap = false;  // also each write nonblocking, with computing that takes as long meanwhile
  Hints hints;
};

struct Times {               // of a repetition: of all its calls, and of their views where they are several
  double first_seconds = 0;  // the warm-up
  std::vector<double> seconds;  // each the slowest rank's
};

struct Outcome {
  std::string failure;  // empty: every call succeeded and every byte is right; the same on all ranks
  int64_t total_bytes = 0;
  Times write, read;
  Times overlapped;               // nonblocking write + computing + wait
  std::vector<double> overlap;    // that, over the longer of the write alone and the computing alone
  int64_t peak_growth_bytes = 0;  // of the rank where it is greatest, from before open to after the last call
  int64_t shared_growth_bytes = 0;  // the part of it in shared segments
  std::vector<NodeGrowth> nodes;    // the same growth, by node
};

// Collective over MPI_COMM_WORLD; the outcome is the same on all ranks.
Outcome run_pattern(const Pattern& pattern, const RunOptions& options);

}  // namespace concilio::bench
