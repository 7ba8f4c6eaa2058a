// Starts a benchmark program under its launcher, and collects what it wrote.
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
  std::string ranks = "4";  // with --compare a list, such as "2,4,8"
  std::string mpi;          // with --compare a list; if empty, the MPIs that are installed
  std::string mib_per_rank;
  int repetitions = 5;
  std::vector<std::string> hints;
  std::string calls = "collective";  // a name of sim::calls_words
  bool read_only = false, write_only = false, sync = false, no_verify = false;
  bool overlap = false;
  std::string device;   // where the buffers lie; empty: in the host's memory
  std::string methods;  // the argument of --methods; empty if it was not given
  std::string warm_up, measure_for, method_timeout, skip_slower_than;
  bool concilio = false;
  bool compare = false;
  int alternations = 3;
  std::string file;
  std::string json_file;  // "-" is stdout
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
  std::vector<std::string> data_files;  // they are removed at the end
};

// The command line that starts `program` with its arguments, as `launch` says. `report` names the file that
// the library writes its records to; if it is empty, the library writes none.
Result<LaunchCommand> make_launch_command(const BenchLaunch& launch, const std::string& program,
                                          const Words& arguments, const std::string& report,
                                          const Environment& environment);

// The same for the benchmark program that runs patterns.
Result<LaunchCommand> make_bench_command(const BenchLaunch& launch, const BenchOptions& options,
                                         const std::vector<std::string>& patterns, const std::string& report,
                                         const Environment& environment);
// Runs the command, and removes its data files whatever the outcome.
Result<Captured> run_bench_command(const LaunchCommand& command, double timeout_seconds, Echo echo);

// Finds a benchmark program.
using FindProgram = Result<std::string> (*)(Flavour flavour, const Environment& environment);
// The MPIs whose benchmark program and launcher are installed. If `wanted` is not empty ("openmpi,mpich"),
// the MPIs that it names.
Result<std::vector<Flavour>> bench_flavours(const std::string& wanted, const Environment& environment,
                                            FindProgram find_program = find_bench_program);

// A file name in TMPDIR, or in the working folder if TMPDIR is not set. No other process uses it.
std::string default_data_file(const Environment& environment, const std::string& ending);

// Parses rank counts: "2,4,8" -> {2, 4, 8}.
Result<std::vector<int>> parse_rank_counts(const std::string& text);

// The values of -n and --mpi.
struct BenchMachine {
  std::vector<int> rank_counts;
  std::vector<Flavour> flavours;
};
Result<BenchMachine> parse_bench_machine(const BenchOptions& options, const Environment& environment);

// Whether the program has to run under Concilio: if the user asks for it, or if --methods names a method
// other than the MPI's own MPI-IO and the POSIX requests that the program makes itself.
bool wants_concilio(const BenchOptions& options);

const std::vector<std::string>& default_patterns();

}  // namespace concilio::tools
