// The program's own two phases, as SCORPIO has them: the ranks are cut into groups of neighbours, and only
// the first rank of each, the root, opens the file. It moves the data of its group in one contiguous piece,
// and the others hand theirs to it, or get theirs from it, by messages.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "measure/mpi_file.h"

namespace concilio::bench {

struct GroupsOptions {
  std::string path;
  int ranks_per_group = 1;
  int64_t bytes_per_rank = 0;
  bool write = true, read = true, verify = true;
  Hints hints;
  // Called on the roots when they have written ("write") or read ("read"), while the file is open.
  std::function<void(MPI_File file, const std::string& done)> watch;
};

struct GroupsOutcome {
  std::string failure;  // empty: none; the same on all ranks
  int64_t total_bytes = 0;
  // Of the slowest rank, each. The file is opened and closed once for writing, and once for reading.
  double init_seconds = 0, open_seconds = 0, write_seconds = 0, read_seconds = 0, close_seconds = 0;
};

// Collective over MPI_COMM_WORLD; the outcome is the same on all ranks.
GroupsOutcome run_groups(const GroupsOptions& options);

}  // namespace concilio::bench
