// concilio bench suite: the options of the grid.
#include <memory>

#include "benchmark/suite.h"
#include "sim/patterns/calls.h"
#include "subcommands.h"
#include "system/other_work.h"

namespace concilio::tools {

Subcommand add_bench_suite(CLI::App& bench, const Environment& environment) {
  CLI::App* parser = bench.add_subcommand(
      "suite",
      "Compare the MPI's own MPI-IO with Concilio over a grid of patterns, calls and sizes, and by programs");
  auto options = std::make_shared<SuiteOptions>();
  options->bench.ranks.clear();
  parser
      ->add_option("-n,--ranks", options->bench.ranks, "Numbers of ranks (default: 1,2; with --full 1,2,4,8)")
      ->type_name("LIST");
  parser
      ->add_option("--mpi", options->bench.mpi, flavour_words() + ", or a list (default: what is installed)")
      ->type_name("MPI");
  std::vector<std::string> names;
  for (const sim::CallsWords& words : sim::calls_words) names.emplace_back(words.name);
  names.emplace_back("programs");
  parser
      ->add_option("--calls", options->calls,
                   "Kinds of calls that are measured, and programs, a list (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember(names))
      ->type_name("LIST");
  parser->add_flag("--full", options->full, "More sizes and patterns, which take hours");
  parser
      ->add_option("--repetitions", options->bench.repetitions,
                   "Number of timed calls, after one that is not timed")
      ->check(CLI::Range(1, 1000000))
      ->type_name("COUNT")
      ->capture_default_str();
  parser->add_option("--alternations", options->bench.alternations, "How often each side is started")
      ->check(CLI::Range(1, 1000))
      ->type_name("COUNT")
      ->capture_default_str();
  parser
      ->add_option(
          "--file", options->bench.file,
          "File to write and read, on the storage that is to be measured; it is created and then removed "
          "(default: in TMPDIR, or the working folder)")
      ->type_name("PATH");
  parser->add_option("--picture", options->picture_file, "Draw the grid, as SVG")->type_name("FILE");
  parser->add_option("--json", options->bench.json_file, "Write all times as JSON; without FILE to stdout")
      ->expected(0, 1)
      ->default_str("-")
      ->type_name("FILE");
  parser
      ->add_option("--timeout", options->bench.timeout_seconds,
                   "Seconds after which a start of the benchmark program is stopped")
      ->check(CLI::PositiveNumber)
      ->type_name("SECONDS")
      ->capture_default_str();
  parser->footer(
      "Cells: kinds of calls (as in `concilio bench --help`) and what a rank moves by them, with their "
      "patterns:\n" +
      list_of_cells() +
      "\nA cell is the time of the MPI's own MPI-IO over Concilio's, of the first repetition after the open "
      "and "
      "of those that\nrepeat it. Of programs there are those whose library Concilio was built with (start "
      "only begins and ends MPI), and\nh5py if Python has one that is parallel on this MPI; they are timed "
      "as a whole, with their launcher.\nA cell is marked with ! where that is below 0.95 and the times are "
      "clearly "
      "apart, and "
      "with ? where the times\nspread so far, also after the cell has been measured again, that they do not "
      "tell "
      "whether it is. The exit status is 1 if a\nbyte was wrong or a call failed, and 2 if the command line "
      "was "
      "wrong.");
  return {parser, [=] {
            if (options->bench.ranks.empty()) options->bench.ranks = options->full ? "1,2,4,8" : "1,2";
            Result<int> status = [&]() -> Result<int> {
              const auto machine = parse_bench_machine(options->bench, environment);
              if (!machine) return machine.error();
              tell_of_other_work("bench suite");
              return suite(*options, *machine, environment);
            }();
            if (status) return *status;
            complain("bench suite: " + status.error().message);
            return status_after_signals(exit_usage);
          }};
}

}  // namespace concilio::tools
