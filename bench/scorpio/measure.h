// Runs the methods in turn, takes times and checks values.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scorpio/files.h"
#include "scorpio/method.h"

namespace concilio::bench::scorpio {

enum Phase { phase_init, phase_open, phase_read, phase_write, phase_close };
inline constexpr size_t phase_count = 5;
inline constexpr const char* phase_names[phase_count] = {"init", "open", "read", "write", "close"};

using Split = std::array<double, phase_count>;  // seconds, until the last rank is through
double total(const Split& split);

// Of one file.
struct Access {
  int64_t openers = 0;  // processes that had it open
  int64_t groups = 0, group_ranks = 0;
  int64_t group_bytes = 0;  // what the largest group has of the largest dataset
};

struct Outcome {
  std::string method;
  std::string failure;
  Split first = {};  // a call of each before what is measured
  std::vector<Split> repetitions;
  Access input, output;
  int64_t peak_buffer_bytes = -1;  // of the root where it is greatest; -1: not known
  int64_t peak_growth_bytes = 0;   // of the rank's memory, where it is greatest, in the first call of each
  Diff diff = Diff::not_installed;
};

struct Run {
  std::string input, output;  // paths
  int repetitions = 5;
};

// Collective over MPI_COMM_WORLD; the outcomes are the same on all ranks. Ends at the first failure, which is
// in its method's outcome.
std::vector<Outcome> measure(const Workload& workload, const std::vector<std::unique_ptr<Method>>& methods,
                             const Run& run);

}  // namespace concilio::bench::scorpio
