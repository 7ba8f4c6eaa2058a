// concilio-bench-smpi: the benchmark program of `concilio simulate`, with the library linked into it, which
// SimGrid's smpirun starts. Ranks take turns on one thread, and all times are simulated. Rank 0 writes what
// was measured to a file.
//
//   concilio-bench-smpi OPTION=VALUE... PATTERN...
//   concilio-bench-smpi record=FILE scale=COPIES OPTION=VALUE...
//
// The command writes the line, and has looked at what its user gave. So only patterns can be wrong here.
#include <concilio/file.h>
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "job/agree.h"
#include "job/nodes.h"
#include "measure/harness.h"
#include "patterns/pattern.h"
#include "simulated/groups.h"
#include "simulated/replay.h"
#include "simulated/rows.h"

namespace concilio::bench {

namespace {

constexpr double mib = 1024.0 * 1024.0;

struct Options {
  RunOptions run;
  std::string results;               // the file to write
  std::vector<std::string> methods;  // values of the hint concilio_method, or rows
  std::vector<std::string> patterns;
  std::string record;  // a record to replay in place of patterns
  int copies = 1;      // of its ranks
  double mib_per_rank = 1;
  std::vector<int> groups;  // sizes of groups whose roots alone call, in place of all ranks
  bool terminal = false;    // whether a line of progress takes the place of the one before
};

Options parse(int argument_count, char** arguments) {
  Options options;
  std::map<std::string, std::string> values;
  for (int i = 1; i < argument_count; ++i) {
    const std::string word = arguments[i];
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals),
                      value = equals == word.npos ? "" : word.substr(equals + 1);
    if (equals == word.npos) {
      options.patterns.push_back(word);
    } else if (name == "io-group") {
      options.groups.push_back(std::stoi(value));
    } else if (name == "method") {
      options.methods.push_back(value);
    } else if (name == "hint") {
      const size_t middle = value.find('=');
      options.run.hints.emplace_back(value.substr(0, middle), value.substr(middle + 1));
    } else {
      values[name] = value;
    }
  }
  options.results = values["results"];
  options.record = values["record"];
  if (!options.record.empty()) options.copies = std::stoi(values["scale"]);
  options.mib_per_rank = std::stod(values["mib-per-rank"]);
  options.terminal = values["terminal"] == "1";
  options.run.path = values["file"];
  options.run.repetitions = std::stoi(values["repetitions"]);
  options.run.calls = values["independent"] == "1" ? sim::Calls::independent : sim::Calls::collective;
  options.run.write = values["read-only"] != "1";
  options.run.read = values["write-only"] != "1";
  options.run.verify = values["verify"] == "1";
  return options;
}

// What this rank counted while the file was open: in the last repetition's calls, and of its memory.
class Watch {
 public:
  void operator()(MPI_File file, const std::string& done) {
    std::vector<int64_t> now;
    for (int i = 0; concilio_counter_name(i); ++i)
      concilio_file_counter(file, concilio_counter_name(i), &now.emplace_back());
    std::vector<int64_t>& more = counted_[done];
    more = now;
    for (size_t i = 0; i < before_.size(); ++i) more[i] -= before_[i];
    before_ = std::move(now);
    concilio_file_memory(file, nullptr, nullptr, &peak_bytes_);
  }
  // Another file counts from 0.
  void begin_file() { before_.clear(); }
  const std::vector<int64_t>& counted(const std::string& done) { return counted_[done]; }
  // Ranks that have no file have counted nothing.
  std::vector<int64_t> counted_or_nothing(const std::string& done) const {
    const auto found = counted_.find(done);
    if (found != counted_.end()) return found->second;
    std::vector<int64_t> nothing;
    while (concilio_counter_name(static_cast<int>(nothing.size()))) nothing.push_back(0);
    return nothing;
  }
  int64_t peak_bytes() const { return peak_bytes_; }

 private:
  std::map<std::string, std::vector<int64_t>> counted_;
  std::vector<int64_t> before_;
  int64_t peak_bytes_ = 0;
};

// Collective, as the functions below; the result counts on rank 0.
nlohmann::json counters_json(const std::vector<int64_t>& mine) {
  std::vector<int64_t> sums(mine.size()), most(mine.size());
  const int count = static_cast<int>(mine.size());
  MPI_Reduce(mine.data(), sums.data(), count, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(mine.data(), most.data(), count, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
  nlohmann::json json = {{"sum", nlohmann::json::object()}, {"max", nlohmann::json::object()}};
  for (size_t i = 0; i < mine.size(); ++i) {
    const char* name = concilio_counter_name(static_cast<int>(i));
    json["sum"][name] = sums[i];
    json["max"][name] = most[i];
  }
  return json;
}

nlohmann::json call_json(const Times& times, const std::vector<int64_t>& counted) {
  return {{"first_seconds", times.first_seconds},
          {"seconds", times.seconds},
          {"counters", counters_json(counted)}};
}

// What a program that does without the library has moved, by the names of its counters.
std::vector<int64_t> counted_as(const Exchanged& exchanged, const std::string& done) {
  const bool writes = done == "write";
  const std::map<std::string, int64_t> values = {
      {"messages_sent", exchanged.messages},
      {"message_bytes_sent", exchanged.message_bytes},
      {writes ? "storage_writes" : "storage_reads", exchanged.requests},
      {writes ? "storage_bytes_written" : "storage_bytes_read", exchanged.storage_bytes}};
  std::vector<int64_t> counted;
  for (int i = 0; concilio_counter_name(i); ++i) {
    const auto found = values.find(concilio_counter_name(i));
    counted.push_back(found == values.end() ? 0 : found->second);
  }
  return counted;
}

// The greatest sum of the ranks of a node.
int64_t most_of_a_node(int64_t peak_bytes) {
  int64_t most = 0;
  for (const NodeGrowth& node : growth_by_node(peak_bytes, 0)) most = std::max(most, node.bytes);
  return most;
}

nlohmann::json result_json(const std::string& name, const Pattern& pattern, const std::string& method,
                           const Outcome& outcome, const RunOptions& run) {
  nlohmann::json result = {{"pattern", name},
                           {"method", method},
                           {"bytes", outcome.total_bytes},
                           {"verified", run.verify && outcome.failure.empty()}};
  if (!pattern.note().empty()) result["note"] = pattern.note();
  // It is the same on all ranks.
  if (!outcome.failure.empty()) result["failure"] = outcome.failure;
  return result;
}

void add_memory(int64_t peak_bytes, nlohmann::json& result) {
  result["peak_bytes_per_rank"] = over_ranks(peak_bytes, MPI_INT64_T, MPI_MAX);
  result["peak_bytes_per_node"] = most_of_a_node(peak_bytes);
}

nlohmann::json run_one(const std::string& name, const Pattern& pattern, const std::string& method,
                       const Options& options) {
  Watch watch;
  RunOptions run = options.run;
  run.hints.emplace_back("concilio_method", method);
  run.watch = [&](MPI_File file, const char* done) { watch(file, done); };
  const Outcome outcome = run_pattern(pattern, run);
  nlohmann::json result = result_json(name, pattern, method, outcome, run);
  if (!outcome.failure.empty()) return result;
  result["open"] = {{"seconds", outcome.open_seconds}};
  add_memory(watch.peak_bytes(), result);
  if (run.write) result["write"] = call_json(outcome.write, watch.counted("write"));
  if (run.read) result["read"] = call_json(outcome.read, watch.counted("read"));
  return result;
}

// As run_one(), by the program's own exchange in rows.
nlohmann::json run_one_in_rows(const std::string& name, const Pattern& pattern, const Options& options) {
  const RunOptions& run = options.run;
  const auto [outcome, exchanged] = run_rows(pattern, run);
  nlohmann::json result = result_json(name, pattern, "rows", outcome, run);
  if (!outcome.failure.empty()) return result;
  result["open"] = {{"seconds", outcome.open_seconds}};
  add_memory(exchanged.memory_bytes, result);
  if (run.write) result["write"] = call_json(outcome.write, counted_as(exchanged, "write"));
  if (run.read) result["read"] = call_json(outcome.read, counted_as(exchanged, "read"));
  return result;
}

// As run_one(), by roots of groups.
nlohmann::json run_one_in_groups(int ranks_per_group, const std::string& method, const Options& options) {
  Watch watch;
  GroupsOptions groups{options.run.path,
                       ranks_per_group,
                       static_cast<int64_t>(options.mib_per_rank * mib),
                       options.run.write,
                       options.run.read,
                       options.run.verify,
                       options.run.hints,
                       [&](MPI_File file, const std::string& done) {
                         watch.begin_file();
                         watch(file, done);
                       }};
  groups.hints.emplace_back("concilio_method", method);
  const GroupsOutcome outcome = run_groups(groups);
  nlohmann::json result = {{"pattern", fmt::format("contiguous, in groups of {}", ranks_per_group)},
                           {"method", method},
                           {"bytes", outcome.total_bytes},
                           {"io_group", ranks_per_group},
                           {"verified", options.run.verify && outcome.failure.empty()}};
  if (!outcome.failure.empty()) {
    result["failure"] = outcome.failure;
    return result;
  }
  result["init"] = {{"seconds", outcome.init_seconds}};
  result["open"] = {{"seconds", outcome.open_seconds}};
  result["close"] = {{"seconds", outcome.close_seconds}};
  add_memory(watch.peak_bytes(), result);
  const auto add = [&](const char* call, double seconds) {
    result[call] = call_json({seconds, {seconds}}, watch.counted_or_nothing(call));
  };
  if (options.run.write) add("write", outcome.write_seconds);
  if (options.run.read) add("read", outcome.read_seconds);
  return result;
}

nlohmann::json run_record(Replay& replay, const std::string& method, const Options& options) {
  Hints hints = options.run.hints;
  hints.emplace_back("concilio_method", method);
  const ReplayOutcome outcome = replay.run(options.run.path, hints);
  nlohmann::json result = {{"method", method}, {"verified", options.run.verify && outcome.failure.empty()}};
  if (!outcome.failure.empty()) result["failure"] = outcome.failure;
  result["seconds"] = outcome.seconds;
  result["call_seconds"] = outcome.call_seconds;
  result["idle_seconds"] = outcome.idle_seconds;
  result["all_calls_seconds"] = outcome.all_calls_seconds;
  result["counters"] = counters_json(outcome.counted);
  result["peak_bytes_per_node"] = most_of_a_node(outcome.peak_bytes);
  return result;
}

// One line of progress.
void tell(const Options& options, size_t begun, size_t all, const std::string& what) {
  fmt::print(stderr, "{}[{}/{}] {}{}", options.terminal ? "\r\033[K" : "", begun, all, what,
             options.terminal ? "" : "\n");
  std::fflush(stderr);
}

// Returns the exit status.
int write_results(const Options& options, const nlohmann::json& results) {
  if (options.terminal) fmt::print(stderr, "\r\033[K");
  std::ofstream file(options.results);
  file << results.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
  file.close();
  if (file) return 0;
  fmt::print(stderr, "concilio: simulate: cannot write {}\n", options.results);
  return 1;
}

int run_all_of_record(const Options& options) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Replay replay(options.record, options.copies, options.run.verify);
  if (!replay.failure().empty()) {
    if (rank == 0) fmt::print(stderr, "concilio: simulate: {}\n", replay.failure());
    return 2;
  }
  nlohmann::json results = nlohmann::json::array();
  for (const std::string& method : options.methods) {
    if (rank == 0) tell(options, results.size() + 1, options.methods.size(), method);
    results.push_back(run_record(replay, method, options));
  }
  return rank == 0 ? write_results(options, results) : 0;
}

// Returns the exit status, which is 0 if there are results: whether calls failed is among them, and SimGrid's
// launcher would print its whole command.
int run_all(const Options& options) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Size size{ranks, static_cast<int64_t>(options.mib_per_rank * mib)};
  nlohmann::json results = nlohmann::json::array();
  size_t begun = 0;
  const size_t all =
      options.patterns.size() * options.methods.size() * std::max<size_t>(options.groups.size(), 1);
  for (const std::string& name : options.patterns) {
    const Made pattern = make_pattern(name, size);
    if (!pattern) {
      if (rank == 0) fmt::print(stderr, "concilio: simulate: {}\n", pattern.error().message);
      return 2;
    }
    const auto run = [&](const std::string& method, int size_of_group) {
      ++begun;
      if (rank == 0) {
        const std::string who = size_of_group > 0 ? fmt::format(" in groups of {}", size_of_group) : "";
        tell(options, begun, all, fmt::format("{} {}{}", name, method, who));
      }
      if (size_of_group > 0) return run_one_in_groups(size_of_group, method, options);
      return method == "rows" ? run_one_in_rows(name, **pattern, options)
                              : run_one(name, **pattern, method, options);
    };
    for (const int size_of_group : options.groups.empty() ? std::vector<int>{0} : options.groups) {
      for (const std::string& method : options.methods) results.push_back(run(method, size_of_group));
    }
  }
  return rank == 0 ? write_results(options, results) : 0;
}

}  // namespace
}  // namespace concilio::bench

int main(int argument_count, char** arguments) {
  MPI_Init(&argument_count, &arguments);
  int exit_status = 1;
  try {
    const auto options = concilio::bench::parse(argument_count, arguments);
    exit_status = options.record.empty() ? concilio::bench::run_all(options)
                                         : concilio::bench::run_all_of_record(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "concilio: simulate: {}\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return exit_status;
}
