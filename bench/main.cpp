// concilio-bench-MPI: the benchmark program, started by an MPI launcher; see `concilio bench`.
#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/median.h"
#include "job/agree.h"
#include "job/library.h"
#include "measure/harness.h"
#include "methods/methods.h"
#include "methods/methods_report.h"
#include "patterns/pattern.h"

namespace concilio::bench {

namespace {

struct Options {
  std::vector<std::string> patterns;
  double mib_per_rank = 0;
  std::vector<std::string> hints;
  std::string calls = sim::name_of(Calls::collective);
  bool read_only = false, write_only = false, no_verify = false;
  bool json = false;
  std::string method_list, device;
  RunOptions run;
  MethodsOptions methods;
};

constexpr double mib = 1024.0 * 1024.0;

void add_options(CLI::App& app, Options& options) {
  app.add_option("patterns", options.patterns, "Patterns")->required();
  app.add_option("--mib-per-rank", options.mib_per_rank,
                 "MiB that each rank moves in a call (default: 64 / ranks, at least 1)")
      ->check(CLI::PositiveNumber);
  app.add_option("--repetitions", options.run.repetitions,
                 "Number of timed calls, after one that is not timed")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--hint", options.hints, "Hint for MPI_File_open, NAME=VALUE")->allow_extra_args(false);
  app.add_option("--calls", options.calls, "The calls that are made, see below")->capture_default_str();
  app.add_option(
      "--file", options.run.path,
      "File to write and read; it is created and then removed; with --methods a file for each, FILE.METHOD");
  auto* read_only = app.add_flag("--read-only", options.read_only, "Only read");
  app.add_flag("--write-only", options.write_only, "Only write")->excludes(read_only);
  app.add_flag(
      "--verify,!--no-verify", [&](int64_t value) { options.no_verify = value < 0; },
      "Check every byte (the default)");
  app.add_flag("--sync", options.run.sync, "End each write with MPI_File_sync, inside the timed part")
      ->excludes(read_only);
  app.add_flag("--overlap", options.run.overlap,
               "Repeat each write as a nonblocking call during a computation that takes as long")
      ->excludes(read_only);
  app.add_option("--device", options.device, "Buffers in the memory of a GPU: cuda")
      ->check(CLI::IsMember({"cuda"}));
  auto* methods = app.add_option("--methods", options.method_list,
                                 "Measure several methods by turns: auto, independent, list, sieve, "
                                 "two_phase, mapped, posix, rows, mpi, as a list with commas");
  methods->excludes("--overlap")->excludes("--device");
  app.add_option("--warm-up", options.methods.warm_up,
                 "With --methods: calls of each method that are not timed")
      ->check(CLI::Range(0, 1000000))
      ->needs(methods)
      ->capture_default_str();
  app.add_option("--measure-for", options.methods.measured_seconds,
                 "With --methods: repeat each method, at most ten times as often as --repetitions says, "
                 "until its calls have taken so many seconds")
      ->check(CLI::NonNegativeNumber)
      ->needs(methods)
      ->capture_default_str();
  app.add_option("--method-timeout", options.methods.timeout_seconds,
                 "With --methods: leave out a method whose calls would take more seconds than this, as "
                 "predicted or by its first call")
      ->check(CLI::PositiveNumber)
      ->needs(methods)
      ->capture_default_str();
  app.add_option("--skip-slower-than", options.methods.skip_factor,
                 "With --methods: leave out a method that is predicted to take more than so many times as "
                 "long as the cheapest")
      ->check(CLI::PositiveNumber)
      ->needs(methods)
      ->capture_default_str();
  app.add_flag("--json", options.json, "Print the results as JSON");
  app.footer("Calls:\n" + sim::lines_of_calls() + "\nPatterns:\n" + list_of_patterns());
}

// Returns an empty text if nothing is wrong.
std::string complete(Options& options) {
  for (const std::string& hint : options.hints) {
    const size_t equals = hint.find('=');
    if (equals == 0 || equals == std::string::npos)
      return fmt::format("--hint {}: write it as NAME=VALUE", hint);
    options.run.hints.emplace_back(hint.substr(0, equals), hint.substr(equals + 1));
  }
  if (!options.method_list.empty()) {
    std::string error;
    options.methods.methods = parse_methods(options.method_list, error);
    if (!error.empty()) return error;
  }
  const auto calls = sim::calls_named(options.calls);
  if (!calls) return fmt::format("--calls {}: there are no such calls", options.calls);
  options.run.calls = *calls;
  const bool opens = *calls == Calls::open || *calls == Calls::files;
  const bool of_repetitions = *calls == Calls::shared || opens;
  if (of_repetitions && (options.run.overlap || !options.method_list.empty()))
    return fmt::format("--calls {} cannot be combined with --overlap or --methods", options.calls);
  if (opens && options.run.sync)
    return fmt::format("--calls {} cannot be combined with --sync", options.calls);
  options.run.device = !options.device.empty();
  options.run.write = !options.read_only;
  options.run.read = !options.write_only;
  options.run.verify = !options.no_verify;
  return {};
}

nlohmann::json times_json(const Times& times, int64_t bytes) {
  const double seconds = median(times.seconds);
  return {{"first_seconds", times.first_seconds},
          {"seconds", times.seconds},
          {"median_seconds", seconds},
          {"mib_per_second", seconds > 0 ? static_cast<double>(bytes) / mib / seconds : 0}};
}

std::string times_text(const char* name, const Times& times, int64_t bytes) {
  if (times.seconds.empty()) return {};
  const double seconds = median(times.seconds);
  if (bytes == 0)
    return fmt::format("  {} {:8.3f} ms (first {:.3f})", name, seconds * 1e3, times.first_seconds * 1e3);
  return fmt::format("  {} {:8.1f} MiB/s (first {:.1f})", name, static_cast<double>(bytes) / mib / seconds,
                     static_cast<double>(bytes) / mib / times.first_seconds);
}

nlohmann::json nodes_json(const std::vector<NodeGrowth>& nodes) {
  nlohmann::json list = nlohmann::json::array();
  for (const NodeGrowth& node : nodes)
    list.push_back({{"ranks", node.ranks}, {"peak_growth_bytes", node.bytes}});
  return list;
}

nlohmann::json outcome_json(const std::string& name, const std::string& note, const Outcome& outcome,
                            const RunOptions& options) {
  nlohmann::json result = {{"pattern", name},
                           {"bytes", outcome.total_bytes},
                           {"calls", sim::name_of(options.calls)},
                           {"collective", is_collective(options.calls)},
                           {"verified", options.verify && outcome.failure.empty()},
                           {"peak_growth_bytes", outcome.peak_growth_bytes},
                           {"shared_growth_bytes", outcome.shared_growth_bytes},
                           {"nodes", nodes_json(outcome.nodes)}};
  if (!note.empty()) result["note"] = note;
  if (!outcome.failure.empty()) result["failure"] = outcome.failure;
  if (options.write) result["write"] = times_json(outcome.write, outcome.total_bytes);
  if (options.overlap) {
    result["overlapped"] = times_json(outcome.overlapped, outcome.total_bytes);
    result["overlap"] = median(outcome.overlap);
  }
  if (options.read) result["read"] = times_json(outcome.read, outcome.total_bytes);
  return result;
}

std::string outcome_text(const std::string& name, const std::string& note, const Outcome& outcome) {
  const std::string overlap =
      outcome.overlap.empty() ? "" : fmt::format("  overlap {:.2f}", median(outcome.overlap));
  return fmt::format("{:<20}{}{}{}  memory +{:.1f} MiB (shared {:.1f}){}{}\n", name,
                     times_text("write", outcome.write, outcome.total_bytes),
                     times_text("read", outcome.read, outcome.total_bytes), overlap,
                     static_cast<double>(outcome.peak_growth_bytes) / mib,
                     static_cast<double>(outcome.shared_growth_bytes) / mib, note.empty() ? "" : "  ", note);
}

// All ranks use the same file name.
void choose_path(std::string& path, int rank) {
  if (path.empty() && rank == 0) path = fmt::format("concilio-bench.{}.dat", getpid());
  share(path);
}

// The line that is printed for a pattern; the same on all ranks.
struct Report {
  nlohmann::json json;
  std::string text;
  std::vector<std::string> failures;
};

Report run_one(const std::string& name, const Pattern& pattern, const Options& options) {
  if (options.methods.methods.empty()) {
    const Outcome outcome = run_pattern(pattern, options.run);
    Report report{outcome_json(name, pattern.note(), outcome, options.run), {}, {}};
    if (outcome.failure.empty()) {
      report.text = outcome_text(name, pattern.note(), outcome);
    } else {
      report.failures = {outcome.failure};
    }
    return report;
  }
  const MethodsOutcome outcome = run_methods(pattern, options.run, options.methods);
  Report report{to_json(name, pattern.note(), outcome), to_text(name, pattern.note(), outcome), {}};
  report.failures = failures_of(outcome);
  return report;
}

int run_all(Options& options, int rank, int ranks) {
  choose_path(options.run.path, rank);
  const double wanted_mib = options.mib_per_rank > 0 ? options.mib_per_rank : std::max(64.0 / ranks, 1.0);
  const Size size{ranks, static_cast<int64_t>(wanted_mib * mib)};
  nlohmann::json results = nlohmann::json::array();
  if (rank == 0 && !options.json)
    fmt::print("{}, {} rank{}, {:.2f} MiB a rank\n", library_version(), ranks, ranks == 1 ? "" : "s",
               wanted_mib);
  int exit_status = 0;
  for (const std::string& name : options.patterns) {
    const auto pattern = make_pattern(name, size);
    if (!pattern) {
      if (rank == 0) fmt::print(stderr, "concilio bench: {}\n", pattern.error().message);
      return 2;
    }
    if (options.run.calls == Calls::shared && !(*pattern)->side_by_side()) {
      if (rank == 0)
        fmt::print(stderr, "concilio bench: pattern {}: --calls shared is for contiguous and mpiiotest\n",
                   name);
      return 2;
    }
    Report report = run_one(name, **pattern, options);
    if (!report.failures.empty()) exit_status = 1;
    if (rank != 0) continue;
    results.push_back(std::move(report.json));
    for (const std::string& failure : report.failures)
      fmt::print(stderr, "concilio bench: pattern {}: {}\n", name, failure);
    if (!options.json) fmt::print("{}", report.text);
    std::fflush(stdout);
  }
  if (rank == 0 && options.json) {
    nlohmann::json all = {{"library", library_version()},
                          {"ranks", ranks},
                          {"mib_per_rank", wanted_mib},
                          {"repetitions", options.run.repetitions},
                          {"patterns", results}};
    if (options.run.device) all["device"] = options.device;
    if (!options.methods.methods.empty()) {
      all["warm_up"] = options.methods.warm_up;
      all["calls"] = options.calls;
      all["collective"] = is_collective(options.run.calls);
      if (!concilio_version_loaded().empty()) all["concilio"] = concilio_version_loaded();
    }
    fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    std::fflush(stdout);
  }
  return exit_status;
}

int run_main(int argument_count, char** arguments) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Options options;
  CLI::App app("Run access patterns through MPI-IO and check every byte", "concilio-bench");
  add_options(app, options);
  try {
    app.parse(argument_count, arguments);
  } catch (const CLI::Success&) {
    if (rank == 0) fmt::print("{}", app.help());
    return 0;
  } catch (const CLI::ParseError& error) {
    if (rank == 0) fmt::print(stderr, "concilio bench: {}\n", error.what());
    return 2;
  }
  const std::string error = complete(options);
  if (!error.empty()) {
    if (rank == 0) fmt::print(stderr, "concilio bench: {}\n", error);
    return 2;
  }
  return run_all(options, rank, ranks);
}

}  // namespace
}  // namespace concilio::bench

int main(int argument_count, char** arguments) {
  // MPI can only overlap calls with a computation if it may use a thread of its own.
  bool overlap = false;
  for (int i = 1; i < argument_count; ++i) overlap = overlap || std::string_view(arguments[i]) == "--overlap";
  int provided = 0;
  MPI_Init_thread(&argument_count, &arguments, overlap ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  int exit_status = 0;
  try {
    exit_status = concilio::bench::run_main(argument_count, arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "concilio bench: {}\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return exit_status;
}
