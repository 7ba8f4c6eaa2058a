// concilio bench --compare: runs the same patterns by turns under the MPI's own MPI-IO and under Concilio.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "benchmark/launch_bench.h"
#include "launch/flavour.h"

namespace concilio::tools {

// The results of one side of a comparison, over all starts of the benchmark program.
struct Side {
  int64_t bytes = 0;
  std::vector<double> write_seconds, read_seconds;
  // Of the first repetition of each start, which is not among these.
  std::vector<double> first_write_seconds, first_read_seconds;
  int64_t peak_growth_bytes = 0;
  std::string failure;

  double write_rate() const;  // MiB/s, computed from the median; 0 if nothing was measured
  double read_rate() const;
};

struct Comparison {
  Flavour flavour = Flavour::openmpi;
  int ranks = 1;
  std::string pattern;
  Side own, concilio;
  std::string methods;  // the methods that Concilio took
  std::string note;
};

// Why a program that did not end with exit status 0 has failed, in a line.
std::string failure_of(const Captured& captured);
// Adds what one start of the benchmark program wrote (its JSON) of one of its patterns to a side. If the
// program failed, the side has failed.
void add_to_side(Side& side, const Captured& captured, size_t pattern = 0);

// Starts the benchmark program once for one side of these comparisons, which have their MPI and their number
// of ranks in common.
Status start_side(std::span<Comparison* const> rows, bool under_concilio, const BenchOptions& options,
                  const Environment& environment);
// Whether there are the launcher, the benchmark program and the library of each MPI.
Status check_parts(const std::vector<Flavour>& flavours, const Environment& environment);
// Writes a JSON document to a file, or to stdout for "-". Returns the exit status.
int write_json(const std::string& path, const nlohmann::json& all);

std::string render_table(const std::vector<Comparison>& rows);
nlohmann::json to_json(const Comparison& row);

// Runs all comparisons. Progress goes to stderr, and the table to stdout. Returns the exit status, or why the
// comparisons could not be made.
Result<int> compare(const BenchOptions& options, const BenchMachine& machine, const Environment& environment);

}  // namespace concilio::tools
