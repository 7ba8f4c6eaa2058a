// One start of a benchmark program under its launcher, and what came of it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/flavour.h"
#include "launch/installation.h"
#include "summary/records.h"
#include "system/environment.h"
#include "system/process.h"

namespace concilio::tools {

struct BenchOptions {
  std::vector<std::string> patterns;
  std::string ranks = "4";  // --compare: a list, "2,4,8"
  std::string mpi;          // --compare: a list; empty: what is installed
  std::string mib_per_rank;
  int repetitions = 5;
  std::vector<std::string> hints;
  bool independent = false, collective = false, read_only = false, write_only = false, sync = false,
       no_verify = false;
  bool overlap = false;
  std::string methods;  // --methods; empty: not given
  std::string warm_up, measure_for, method_timeout, skip_slower_than;
  bool concilio = false;
  bool compare = false;
  int alternations = 3;
  std::string file;
  std::string json_file;  // "-": stdout
  double timeout_seconds = 300;
};

struct BenchLaunch {
  Flavour flavour = Flavour::openmpi;
  int ranks = 1;
  bool under_concilio = false;
  bool json = false;
};

struct LaunchCommand {
  Words words;
  Environment environment;
  std::vector<std::string> data_files;  // removed at the end
};

// The command line that starts `program` with its arguments for `launch`. `report`: where the library writes
// its records; empty: nowhere.
Result<LaunchCommand> make_launch_command(const BenchLaunch& launch, const std::string& program,
                                          const Words& arguments, const std::string& report,
                                          const Environment& environment);

// The same of the benchmark program of patterns.
Result<LaunchCommand> make_bench_command(const BenchLaunch& launch, const BenchOptions& options,
                                         const std::vector<std::string>& patterns, const std::string& report,
                                         const Environment& environment);
// Runs it, and removes the data files whatever happened.
Result<Captured> run_bench_command(const LaunchCommand& command, double timeout_seconds, Echo echo);

// Finds a benchmark program.
using FindProgram = Result<std::string> (*)(Flavour flavour, const Environment& environment);
// Those whose benchmark program and launcher are there; of `wanted` ("openmpi,mpich") where not empty.
Result<std::vector<Flavour>> bench_flavours(const std::string& wanted, const Environment& environment,
                                            FindProgram find_program = find_bench_program);

// In TMPDIR, or here, a name of this process's own.
std::string default_data_file(const Environment& environment, const std::string& ending);

// "2,4,8" -> {2, 4, 8}: rank counts.
Result<std::vector<int>> parse_rank_counts(const std::string& text);

// What -n and --mpi say.
struct BenchMachine {
  std::vector<int> rank_counts;
  std::vector<Flavour> flavours;
};
Result<BenchMachine> parse_bench_machine(const BenchOptions& options, const Environment& environment);

// Whether the program is to run under Concilio: where it is asked for, and where --methods names anything
// but the MPI's own MPI-IO and requests of the program itself.
bool wants_concilio(const BenchOptions& options);

const std::vector<std::string>& default_patterns();

}  // namespace concilio::tools
