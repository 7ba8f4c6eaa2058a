// concilio bench --compare: the same patterns under the MPI's own MPI-IO and under Concilio, in turn.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "benchmark/launch_bench.h"
#include "launch/flavour.h"

namespace concilio::tools {

// What one side of a comparison reached, over all its starts.
struct Side {
  int64_t bytes = 0;
  std::vector<double> write_seconds, read_seconds;
  int64_t peak_growth_bytes = 0;
  std::string failure;

  double write_rate() const;  // MiB/s, from the median; 0 where not measured
  double read_rate() const;
};

struct Comparison {
  Flavour flavour = Flavour::openmpi;
  int ranks = 1;
  std::string pattern;
  Side own, concilio;
  std::string methods;  // that Concilio took
  std::string note;
};

// Adds what one start of the benchmark program wrote (its JSON) to a side. The program's failure is the
// side's.
void add_to_side(Side& side, const Captured& captured);

std::string render_table(const std::vector<Comparison>& rows);
nlohmann::json to_json(const Comparison& row);

// Runs all; progress to stderr, the table to stdout. Returns the exit status.
int compare(const BenchOptions& options, const Environment& environment);

}  // namespace concilio::tools
