// Runs the methods by turns, measures times and checks values.
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

using Split = std::array<double, phase_count>;  // seconds, until the last rank has finished
double total(const Split& split);

// How one file was accessed.
struct Access {
  int64_t openers = 0;  // processes that had it open
  int64_t groups = 0, group_ranks = 0;
  int64_t group_bytes = 0;  // bytes of the largest dataset in the largest group
};

struct Outcome {
  std::string method;
  std::string failure;
  Split first = {};  // the first repetition, which is not counted
  std::vector<Split> repetitions;
  Access input, output;
  int64_t peak_buffer_bytes = -1;  // of the root with the greatest peak; -1 if unknown
  int64_t peak_growth_bytes = 0;   // of the rank with the greatest growth, in the first repetition
  Diff diff = Diff::not_installed;
};

struct Run {
  std::string input, output;  // file names
  int repetitions = 5;
};

// Collective over MPI_COMM_WORLD, with the same outcomes on all ranks. Stops at the first failure, which is
// in the outcome of its method.
std::vector<Outcome> measure(const Workload& workload, const std::vector<std::unique_ptr<Method>>& methods,
                             const Run& run);

}  // namespace concilio::bench::scorpio
