// concilio bench scorpio: SCORPIO against plain HDF5, collective and independent.
#include <fmt/format.h>

#include <memory>

#include "benchmark/launch_bench.h"
#include "subcommands.h"
#include "system/other_work.h"

namespace concilio::tools {

namespace {

constexpr const char* help_of_methods =
    "There are two files. Each dataset is read from the first, which is made before the measurement, and "
    "written to the\nsecond, by every method in turn: plain HDF5 with collective transfers, plain HDF5 with "
    "independent\ntransfers, and SCORPIO with I/O groups of each size. Values are checked, and files too by "
    "h5diff if it is\ninstalled. The exit status is 1 if a value was wrong or a call failed, and 2 if the "
    "command line was wrong.";

struct Options {
  int ranks = 4;
  std::string mpi, grid = "128x128x128";
  bool blocks = false;
  int variables = 4;
  std::string processes;
  std::string group_sizes;
  int64_t buffer_bytes = 0;
  int repetitions = 5;
  bool concilio = false, json = false;
  std::string file;
  double timeout_seconds = 300;
};

Words arguments_of(const Options& options, const std::string& file) {
  Words words = {"--grid", options.grid, "--repetitions", std::to_string(options.repetitions),
                 "--file", file};
  if (options.blocks)
    words.insert(words.end(), {"--blocks", "--variables", std::to_string(options.variables)});
  if (!options.processes.empty()) words.insert(words.end(), {"--processes", options.processes});
  if (!options.group_sizes.empty()) words.insert(words.end(), {"--group-sizes", options.group_sizes});
  if (options.buffer_bytes > 0)
    words.insert(words.end(), {"--buffer-bytes", std::to_string(options.buffer_bytes)});
  if (options.json) words.push_back("--json");
  return words;
}

int run(const Options& options, const Environment& environment) {
  const auto refuse = [](const std::string& message) {
    complain("bench scorpio: " + message);
    return exit_usage;
  };
  const auto flavours = bench_flavours(options.mpi, environment, find_scorpio_bench_program);
  if (!flavours) return refuse(flavours.error().message);
  if (flavours->size() > 1 && !options.mpi.empty()) return refuse("--mpi: give one MPI");
  const auto program = find_scorpio_bench_program(flavours->front(), environment);
  if (!program) return refuse(program.error().message);
  const std::string file = options.file.empty() ? default_data_file(environment, "") : options.file;
  auto command = make_launch_command({flavours->front(), options.ranks, options.concilio, options.json},
                                     *program, arguments_of(options, file), "", environment);
  if (!command) return refuse(command.error().message);
  tell_of_other_work("bench scorpio");
  command->data_files = {file + ".in.h5", file + ".out.h5", file + ".out.h5.h5diff"};
  const auto captured = run_bench_command(*command, options.timeout_seconds, Echo::yes);
  if (!captured) return refuse(captured.error().message);
  if (captured->exit_status == exit_timeout)
    complain(fmt::format("bench scorpio: stopped after {} seconds (see --timeout)", options.timeout_seconds));
  return status_after_signals(captured->exit_status);
}

void add_workload_options(CLI::App& parser, Options& options) {
  parser.add_option("--grid", options.grid, "Cells in each dimension; the last dimension varies fastest")
      ->type_name("AxBxC")
      ->capture_default_str();
  parser.add_flag("--blocks", options.blocks,
                  "Use 3-D blocks of several variables of doubles, instead of parts of one vector of "
                  "integers and one of doubles");
  parser.add_option("--variables", options.variables, "With --blocks: number of variables")
      ->check(CLI::Range(1, 1000))
      ->type_name("COUNT")
      ->capture_default_str();
  parser
      .add_option("--processes", options.processes,
                  "With --blocks: ranks in each dimension (default: near a cube, with most ranks along the "
                  "last dimension)")
      ->type_name("AxBxC");
  parser
      .add_option("--group-sizes", options.group_sizes,
                  "Numbers of ranks in an I/O group: a list of numbers, 'all' and 'auto', the library's "
                  "choice (default: 1,2,4,... all, auto)")
      ->type_name("LIST");
  parser
      .add_option("--buffer-bytes", options.buffer_bytes,
                  "Size of the buffer of an I/O group's root (default: SCORPIO_BUFFER_BYTES, or 16 MiB)")
      ->check(CLI::Range(int64_t{4096}, int64_t{1} << 40))
      ->type_name("BYTES");
}

}  // namespace

Subcommand add_bench_scorpio(CLI::App& bench, const Environment& environment) {
  CLI::App* parser =
      bench.add_subcommand("scorpio", "Measure SCORPIO against plain HDF5, collective and independent");
  auto options = std::make_shared<Options>();
  parser->add_option("-n,--ranks", options->ranks, "Number of ranks")
      ->check(CLI::PositiveNumber)
      ->type_name("RANKS")
      ->capture_default_str();
  parser->add_option("--mpi", options->mpi, flavour_words() + " (default: what is installed)")
      ->type_name("MPI");
  add_workload_options(*parser, *options);
  parser
      ->add_option("--repetitions", options->repetitions,
                   "Number of timed repetitions, after one that is not timed")
      ->check(CLI::Range(1, 1000000))
      ->type_name("COUNT")
      ->capture_default_str();
  parser->add_flag("--concilio", options->concilio, "Use Concilio instead of the MPI's own MPI-IO");
  parser
      ->add_option("--file", options->file,
                   "Use the files PATH.in.h5 and PATH.out.h5, which are created and then removed (default: "
                   "in TMPDIR, or the working folder)")
      ->type_name("PATH");
  parser->add_flag("--json", options->json, "Print the results as JSON, one line for each method");
  parser->add_option("--timeout", options->timeout_seconds, "Seconds after which the benchmark is stopped")
      ->check(CLI::PositiveNumber)
      ->type_name("SECONDS")
      ->capture_default_str();
  parser->footer(help_of_methods);
  return {parser, [=] { return run(*options, environment); }};
}

}  // namespace concilio::tools
