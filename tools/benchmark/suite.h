// concilio bench suite: a grid of patterns, kinds of calls and sizes, by turns under the MPI's own MPI-IO and
// under Concilio. It shows where Concilio leads and where it does not.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "benchmark/compare.h"

namespace concilio::tools {

struct SuiteOptions {
  BenchOptions bench;  // without patterns and sizes, which the grid has
  bool full = false;
  std::string picture_file;
};

// What measured times say about whether Concilio is slower than the MPI's own MPI-IO. A ratio below 0.95 is
// one. If the middle halves of the times lie so near each other that it may be chance, it is unclear.
enum class Finding { not_measured, not_slower, unclear, slower };
Finding finding_of(const std::vector<double>& own, const std::vector<double>& concilio);

struct SuiteCell {
  std::string calls;  // their kind, and how much each rank moves: "collective, 4 MiB"
  Comparison comparison;
};

// A line for each pattern, a pair of columns for each MPI and number of ranks; below it, the cells that are
// marked.
std::string suite_table(const std::vector<SuiteCell>& cells);
std::string suite_picture(const std::vector<SuiteCell>& cells);
nlohmann::json suite_json(const std::vector<SuiteCell>& cells);

// Measures the grid. Returns the exit status, or why it could not begin.
Result<int> suite(const SuiteOptions& options, const BenchMachine& machine, const Environment& environment);

}  // namespace concilio::tools
