// Runs one pattern: opens a file, calls MPI-IO, measures time and memory, and checks every byte.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "job/nodes.h"
#include "measure/mpi_file.h"
#include "patterns/pattern.h"

namespace concilio::bench {

struct RunOptions {
  std::string path;
  int repetitions = 5;
  Calls calls = Calls::collective;
  bool write = true;
  bool read = true;
  bool verify = true;
  bool device = false;  // buffers lie in the memory of a GPU
  bool sync = false;    // each timed write ends with MPI_File_sync
  // Each write is repeated as a nonblocking call during a computation that takes as long.
  bool overlap = false;
  Hints hints;
  // Called on each rank when the file is open ("open"), and when a repetition has written ("write") or read
  // ("read").
  std::function<void(MPI_File file, const char* done)> watch;
};

struct Times {  // of the repetitions: each is the time of all its calls, and of setting their views if there
                // are several
  double first_seconds = 0;     // of the repetition that is not counted
  std::vector<double> seconds;  // each is the slowest rank's
};

struct Outcome {
  std::string failure;      // empty if every call succeeded and every byte is right; the same on all ranks
  int64_t total_bytes = 0;  // that a repetition moves
  double open_seconds = 0;  // of the slowest rank, with the first view; not where the calls are opens
  Times write, read;
  Times overlapped;  // the nonblocking write, the computation and the wait
  // This time divided by the longer of the write alone and the computation alone.
  std::vector<double> overlap;
  // Of the rank with the greatest growth, from before the open to after the last call.
  int64_t peak_growth_bytes = 0;
  int64_t shared_growth_bytes = 0;  // the part of that growth in shared segments
  std::vector<NodeGrowth> nodes;    // the same growth, by node
};

// Collective over MPI_COMM_WORLD; the outcome is the same on all ranks.
Outcome run_pattern(const Pattern& pattern, const RunOptions& options);

}  // namespace concilio::bench
