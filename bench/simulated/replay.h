// Makes the calls of a record (src/sim/record.h) again, on simulated ranks. Each byte that a rank writes
// follows from its place in the file and from the rank, so that whoever reads it, and the end, can tell whose
// it is.
//
// With `copies`, the ranks of the record are there several times: rank r + i * n makes the calls of rank r in
// copy i, whose part of a file that all ranks use begins i times the file's extent further on. A file that
// some ranks alone use is there once for each copy.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "measure/mpi_file.h"
#include "sim/record.h"

namespace concilio::bench {

// Of one way to make the calls. The same on all ranks.
struct ReplayOutcome {
  std::string failure;  // empty: every call succeeded, and each byte that was checked is right
  double seconds = 0, call_seconds = 0, idle_seconds = 0;  // each of the rank with most
  double all_calls_seconds = 0;                            // of all ranks together
  std::vector<int64_t> counted;                            // this rank's counters, of all files together
  int64_t peak_bytes = 0;                                  // of this rank's memory, for one file
};

// What all ranks, which are actors of one process, see alike.
struct ReplayState;

class Replay {
 public:
  // Collective over MPI_COMM_WORLD, as run() is. Rank 0 reads the record at `record`.
  Replay(const std::string& record, int copies, bool verify);
  ~Replay();
  Replay(const Replay&) = delete;
  // Why there is nothing to run; empty: nothing.
  const std::string& failure() const { return failure_; }

  // Files lie at paths that begin with `path`, and are removed at the end.
  ReplayOutcome run(const std::string& path, const Hints& hints);

 private:
  std::unique_ptr<ReplayState> owned_;  // on rank 0
  ReplayState* state_ = nullptr;
  std::string failure_;
  std::vector<MPI_Comm> comms_;  // by open
};

}  // namespace concilio::bench
