// concilio bench suite: a grid of patterns, kinds of calls and sizes, and whole programs, by turns under the
// MPI's own MPI-IO and under Concilio. It shows where Concilio leads and where it does not.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "benchmark/compare.h"

namespace concilio::tools {

struct SuiteOptions {
  BenchOptions bench;  // without patterns and sizes, which the grid has
  bool full = false;
  std::vector<std::string> calls;  // names of sim::calls_words, or "programs"; empty: all are measured
  std::string picture_file;
};

// What measured times say about whether Concilio is slower than the MPI's own MPI-IO. A ratio below 0.95 is
// one. If the middle halves of the times lie so near each other, or are so wide, that it may be chance, it is
// unclear.
enum class Finding { not_measured, not_slower, unclear, slower };
Finding finding_of(const std::vector<double>& own, const std::vector<double>& concilio);

struct SuiteCell {
  // The kind of calls, and how much each rank moves: "collective, 4 MiB". Or "programs".
  std::string calls;
  Comparison comparison;
  std::vector<double> own_seconds, concilio_seconds;  // of a program, from its start to its end

  bool is_program() const;
};

// What is timed: calls, in the first repetition after the open or in those that repeat it, or a program.
enum class Timed { write, read, first_write, first_read, program };
const char* name_of(Timed timed);

// The times of one kind that a cell has of both sides.
struct Measured {
  Timed timed;
  const std::vector<double>*own, *concilio;

  bool reads() const { return timed == Timed::read || timed == Timed::first_read; }
  bool first() const { return timed == Timed::first_write || timed == Timed::first_read; }
  Finding finding() const;
  double ratio() const;  // if there is a finding
};
std::vector<Measured> measured_of(const SuiteCell& cell);

// The grid's cells, as lines of --help.
std::string list_of_cells();

// Two lines for each pattern, of the first repetition after the open and of those that repeat it, and a pair
// of columns for each MPI and number of ranks, in whose middle are the programs; below it, the cells that are
// marked.
std::string suite_table(const std::vector<SuiteCell>& cells);
std::string suite_picture(const std::vector<SuiteCell>& cells);
nlohmann::json suite_json(const std::vector<SuiteCell>& cells);

// Measures the grid. Returns the exit status, or why it could not begin.
Result<int> suite(const SuiteOptions& options, const BenchMachine& machine, const Environment& environment);

}  // namespace concilio::tools
