// concilio bench: runs access patterns through MPI-IO, checks every byte, and compares with Concilio.
#include <fmt/format.h>

#include <memory>

#include "base/text/nearest_name.h"
#include "benchmark/compare.h"
#include "benchmark/launch_bench.h"
#include "settings.h"
#include "sim/pattern.h"
#include "sim/patterns/calls.h"
#include "subcommands.h"
#include "system/other_work.h"

namespace concilio::tools {

namespace {

std::string patterns_help() {
  std::string text = "Calls:\n" + sim::lines_of_calls() + "\nPatterns:\n";
  for (const sim::PatternRow& row : sim::pattern_rows()) text += sim::lines_of(row.words);
  return text +
         "\nconcilio bench scorpio --help: the benchmark of SCORPIO against plain HDF5.\nThe exit status is "
         "1 if a byte was wrong or a call failed, and 2 if the command line was wrong.";
}

// Reports what is wrong with hints. The benchmark programs also run without Concilio, where nothing else
// would report it.
bool check_hints(const std::vector<std::string>& hints) {
  for (const std::string& hint : hints) {
    if (const Status status = check_hint(hint); !status.ok()) {
      complain("bench: " + status.error().message);
      return false;
    }
  }
  return true;
}

// Reports a name that no pattern has, before MPI starts: what ranks say is among what their launcher says.
bool check_patterns(const std::vector<std::string>& patterns) {
  for (const std::string& text : patterns) {
    if (sim::names_pattern(text)) continue;
    const std::string name = sim::parse_pattern(text).name;
    NearestName nearest(name);
    for (const sim::PatternRow& row : sim::pattern_rows()) nearest.consider(row.words.name);
    for (const char* command : {"suite", "scorpio"}) nearest.consider(command);
    const std::string help = nearest.name() ? nearest.question() : ";";
    complain(fmt::format("bench: there is no pattern {}{} `concilio bench --help` lists them", name, help));
    return false;
  }
  return true;
}

// --json takes what follows it for its file. A pattern there would not be measured, and a file named like it
// overwritten.
bool check_json_file(const std::string& file) {
  if (!sim::names_pattern(file)) return true;
  complain(fmt::format(
      "bench: --json would write to a file {0}, which is the name of a pattern; give --json after the "
      "patterns, or name the file ./{0}",
      file));
  return false;
}

// Returns the exit status of the benchmark program, or why it was not started.
Result<int> run_once(const BenchOptions& options, const BenchMachine& machine,
                     const Environment& environment) {
  const auto& [rank_counts, flavours] = machine;
  if (rank_counts.size() > 1 || (flavours.size() > 1 && !options.mpi.empty()))
    return Error{ErrorKind::argument, 0, "several rank counts or MPIs can only be given with --compare"};
  if (!options.json_file.empty() && options.json_file != "-") {
    return Error{ErrorKind::argument, 0,
                 "--json takes the name of a file only with --compare; without it, the results go to stdout"};
  }
  const BenchLaunch launch{flavours.front(), rank_counts.front(), wants_concilio(options),
                           options.json_file == "-"};
  const auto command = make_bench_command(
      launch, options, options.patterns.empty() ? default_patterns() : options.patterns, "", environment);
  if (!command) return command.error();
  const auto captured = run_bench_command(*command, options.timeout_seconds, Echo::yes);
  if (!captured) return captured.error();
  if (captured->exit_status == exit_timeout)
    complain(fmt::format("bench: stopped after {} seconds (see --timeout)", options.timeout_seconds));
  return status_after_signals(captured->exit_status);
}

int bench(const BenchOptions& options, const Environment& environment) {
  if (!check_hints(options.hints) || !check_patterns(options.patterns) || !check_json_file(options.json_file))
    return exit_usage;
  Result<int> status = [&]() -> Result<int> {
    const auto machine = parse_bench_machine(options, environment);
    if (!machine) return machine.error();
    tell_of_other_work("bench");
    return options.compare ? compare(options, *machine, environment)
                           : run_once(options, *machine, environment);
  }();
  if (status) return *status;
  complain("bench: " + status.error().message);
  return status_after_signals(exit_usage);
}

void add_measure_options(CLI::App& parser, BenchOptions& options) {
  parser
      .add_option("--mib-per-rank", options.mib_per_rank,
                  "MiB that each rank moves in a call (default: 64 / ranks, at least 1)")
      ->check(CLI::PositiveNumber)
      ->type_name("MIB");
  parser
      .add_option("--repetitions", options.repetitions, "Number of timed calls, after one that is not timed")
      ->check(CLI::Range(1, 1000000))
      ->type_name("COUNT")
      ->capture_default_str();
  parser.add_option("--hint", options.hints, "Hint that the program gives to MPI_File_open")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  std::vector<std::string> names;
  for (const sim::CallsWords& words : sim::calls_words) names.emplace_back(words.name);
  auto* calls = parser.add_option("--calls", options.calls, "The calls that are made, as listed below")
                    ->check(CLI::IsMember(names))
                    ->type_name("CALLS")
                    ->capture_default_str();
  auto* independent = parser.add_flag_callback(
      "--independent", [&options] { options.calls = sim::name_of(sim::Calls::independent); },
      "The same as --calls independent");
  auto* collective = parser.add_flag_callback(
      "--collective", [&options] { options.calls = sim::name_of(sim::Calls::collective); },
      "The same as --calls collective");
  calls->excludes(independent)->excludes(collective);
  collective->excludes(independent);
  auto* read_only = parser.add_flag("--read-only", options.read_only, "Only read");
  parser.add_flag("--write-only", options.write_only, "Only write")->excludes(read_only);
  parser.add_flag("--sync", options.sync, "End each write with MPI_File_sync, inside the timed part")
      ->excludes(read_only);
  parser
      .add_flag("--overlap", options.overlap,
                "Repeat each write as a nonblocking call during a computation that takes as long; report the "
                "time of both over the longer of the two")
      ->excludes(read_only);
  parser.add_flag("--no-verify", options.no_verify, "Do not check the bytes that were moved");
  parser
      .add_option("--device", options.device,
                  "Buffers in the memory of a GPU, from the driver that the system has: cuda")
      ->check(CLI::IsMember({"cuda"}))
      ->type_name("DRIVER");
}

void add_methods_options(CLI::App& parser, BenchOptions& options) {
  auto* methods =
      parser
          .add_option("--methods", options.methods,
                      "Measure several methods by turns, in one run: a list of auto"
#define METHOD(name, ranks, writes, summary) ", " #name
#include "base/methods.def"
                      " (under Concilio), posix (the program makes one request for each piece), "
                      "rows (ranks exchange by MPI_Alltoallv, and make large requests; of block3d "
                      "and block4d), mpi (the MPI's own MPI-IO; alone or with posix and rows)")
          ->type_name("LIST")
          ->excludes("--overlap")
          ->excludes("--device")
          ->excludes("--compare");
  const auto add = [&](const char* name, std::string& value, const char* help, const char* type) {
    parser.add_option(name, value, help)->needs(methods)->type_name(type);
  };
  add("--warm-up", options.warm_up, "With --methods: calls of each method that are not timed (3)", "COUNT");
  add("--measure-for", options.measure_for,
      "With --methods: repeat each method, at most ten times as often as --repetitions says, until its calls "
      "have taken so many seconds (0)",
      "SECONDS");
  add("--method-timeout", options.method_timeout,
      "With --methods: leave out a method whose calls would take more seconds than this, as predicted or by "
      "its first call (60)",
      "SECONDS");
  add("--skip-slower-than", options.skip_slower_than,
      "With --methods: leave out a method that is predicted to take more than so many times as long as the "
      "cheapest (50)",
      "FACTOR");
}

}  // namespace

Subcommand add_bench(CLI::App& app, const Environment& environment) {
  CLI::App* parser =
      app.add_subcommand("bench", "Measure access patterns through MPI-IO, and check every byte");
  auto options = std::make_shared<BenchOptions>();
  parser
      ->add_option("patterns", options->patterns,
                   "The patterns that are listed below (default: nine of them)")
      ->type_name("PATTERN");
  parser->add_option("-n,--ranks", options->ranks, "Number of ranks; with --compare a list, 2,4,8")
      ->type_name("RANKS")
      ->capture_default_str();
  parser
      ->add_option("--mpi", options->mpi,
                   flavour_words() + "; with --compare also a list (default: what is installed)")
      ->type_name("MPI");
  auto* concilio =
      parser->add_flag("--concilio", options->concilio, "Use Concilio instead of the MPI's own MPI-IO");
  auto* compare_flag =
      parser->add_flag("--compare", options->compare,
                       "Compare the MPI's own MPI-IO with Concilio, by turns, and print a table");
  compare_flag->excludes(concilio);
  parser
      ->add_option("--alternations", options->alternations, "With --compare: how often each side is started")
      ->check(CLI::Range(1, 1000))
      ->type_name("COUNT")
      ->capture_default_str();
  add_measure_options(*parser, *options);
  add_methods_options(*parser, *options);
  parser
      ->add_option("--file", options->file,
                   "File to write and read; it is created and then removed; with --methods a file for each, "
                   "FILE.METHOD (default: in TMPDIR, or the working folder)")
      ->type_name("PATH");
  parser
      ->add_option("--json", options->json_file,
                   "Print the results as JSON to stdout; with --compare write them to FILE if it is given")
      ->expected(0, 1)
      ->default_str("-")
      ->type_name("FILE");
  parser
      ->add_option("--timeout", options->timeout_seconds,
                   "Seconds after which a start of the benchmark program is stopped")
      ->check(CLI::PositiveNumber)
      ->type_name("SECONDS")
      ->capture_default_str();
  parser->footer(patterns_help());
  const Subcommand grid = add_bench_suite(*parser, environment);
  const Subcommand scorpio = add_bench_scorpio(*parser, environment);
  return {parser, [=] {
            for (const Subcommand& other : {grid, scorpio}) {
              if (other.parser->parsed()) return other.run();
            }
            return bench(*options, environment);
          }};
}

}  // namespace concilio::tools
