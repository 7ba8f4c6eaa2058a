// concilio-scorpio-bench-MPI: SCORPIO against plain HDF5, started by an MPI launcher; see `concilio bench
// scorpio`.
#include <fmt/format.h>
#include <hdf5.h>
#include <mpi.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <sstream>

#include "job/agree.h"
#include "scorpio/measure.h"
#include "scorpio/report.h"

namespace concilio::bench::scorpio {

namespace {

constexpr int exit_wrong = 1, exit_usage = 2;

struct Options {
  std::string grid = "128x128x128";
  bool blocks = false;
  int variables = 4;
  std::string processes;
  std::string group_sizes;
  int64_t buffer_bytes = 0;
  int repetitions = 5;
  std::string file;
  bool json = false;
};

void add_options(CLI::App& app, Options& options) {
  app.add_option("--grid", options.grid, "Cells in each dimension; the last dimension varies fastest")
      ->capture_default_str();
  app.add_flag("--blocks", options.blocks,
               "Use 3-D blocks of several variables, instead of slabs of two vectors");
  app.add_option("--variables", options.variables, "With --blocks: number of variables")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--processes", options.processes,
                 "With --blocks: ranks in each dimension (default: near a cube)");
  app.add_option("--group-sizes", options.group_sizes, "Numbers of ranks in an I/O group: 1,2,all,auto");
  app.add_option("--buffer-bytes", options.buffer_bytes,
                 "Size of the buffer of an I/O group's root (default: the library's)")
      ->check(CLI::Range(int64_t{4096}, int64_t{1} << 40));
  app.add_option("--repetitions", options.repetitions,
                 "Number of timed repetitions, after one that is not timed")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--file", options.file, "Use the files FILE.in.h5 and FILE.out.h5");
  app.add_flag("--json", options.json, "Print the results as JSON, one line for each method");
}

// The default of --group-sizes is 1, 2, 4, ..., all, and the library's choice. Returns an empty list and an
// error if the text is wrong.
std::vector<int> group_sizes(const std::string& text, int ranks, std::string& error) {
  std::vector<int> sizes;
  const auto add = [&sizes](int size) {
    if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
  };
  if (text.empty()) {
    for (int size = 1; size < ranks; size *= 2) add(size);
    add(ranks);
    add(automatic_groups);
    return sizes;
  }
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    int size = 0;
    const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), size);
    if (word == "all") {
      add(ranks);
    } else if (word == "auto") {
      add(automatic_groups);
    } else if (failed == std::errc() && end == word.data() + word.size() && size >= 1 && size <= ranks) {
      add(size);
    } else {
      error = fmt::format("--group-sizes {}: '{}' is not one of 1 to {}, all and auto", text, word, ranks);
      return {};
    }
  }
  return sizes;
}

// Returns nothing, and an error, if the options are wrong.
std::optional<Workload> workload_of(const Options& options, int rank, int ranks, std::string& error) {
  const auto grid = parse_extents(options.grid);
  if (!grid) {
    error = fmt::format("--grid {}: write three numbers, as in 128x128x128", options.grid);
    return std::nullopt;
  }
  if (!options.blocks) return make_vectors(*grid, rank, ranks);
  const auto processes =
      options.processes.empty() ? std::optional(near_cube(ranks)) : parse_extents(options.processes);
  if (!processes || elements(*processes) != ranks) {
    error = fmt::format("--processes {}: write three numbers whose product is {}, the number of ranks",
                        options.processes, ranks);
    return std::nullopt;
  }
  return make_blocks(*grid, *processes, options.variables, rank);
}

int run(const Options& options, int rank, int ranks) {
  std::string error;
  const auto wanted = workload_of(options, rank, ranks, error);
  const std::vector<int> sizes = group_sizes(options.group_sizes, ranks, error);
  if (!error.empty()) {
    if (rank == 0) fmt::print(stderr, "concilio bench scorpio: {}\n", error);
    return exit_usage;
  }
  const Workload& workload = *wanted;
  std::string base = options.file.empty() ? fmt::format("concilio-bench.{}", getpid()) : options.file;
  share(base);
  std::vector<std::unique_ptr<Method>> methods;
  methods.push_back(make_hdf5_method(workload, Transfer::collective));
  methods.push_back(make_hdf5_method(workload, Transfer::independent));
  for (const int size : sizes) methods.push_back(make_scorpio_method(workload, size, options.buffer_bytes));
  const auto outcomes = measure(workload, methods, {base + ".in.h5", base + ".out.h5", options.repetitions});
  bool failed = false;
  for (const Outcome& outcome : outcomes) {
    if (outcome.failure.empty()) continue;
    failed = true;
    if (rank == 0) fmt::print(stderr, "concilio bench scorpio: {}: {}\n", outcome.method, outcome.failure);
  }
  const Circumstances circumstances{library_version(), ranks, options.repetitions, options.buffer_bytes};
  if (rank == 0 && options.json) fmt::print("{}", json_lines(workload, circumstances, outcomes));
  if (rank == 0 && !options.json && !failed) fmt::print("{}", table(workload, circumstances, outcomes));
  std::fflush(stdout);
  return failed ? exit_wrong : 0;
}

int run_main(int argument_count, char** arguments) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  // HDF5 does not print its errors; the program prints messages of its own.
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  Options options;
  CLI::App app("Measure SCORPIO against plain HDF5", "concilio-scorpio-bench");
  add_options(app, options);
  try {
    app.parse(argument_count, arguments);
  } catch (const CLI::Success&) {
    if (rank == 0) fmt::print("{}", app.help());
    return 0;
  } catch (const CLI::ParseError& error) {
    if (rank == 0) fmt::print(stderr, "concilio bench scorpio: {}\n", error.what());
    return exit_usage;
  }
  return run(options, rank, ranks);
}

}  // namespace
}  // namespace concilio::bench::scorpio

int main(int argument_count, char** arguments) {
  MPI_Init(&argument_count, &arguments);
  int exit_status = 0;
  try {
    exit_status = concilio::bench::scorpio::run_main(argument_count, arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "concilio bench scorpio: {}\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return exit_status;
}
