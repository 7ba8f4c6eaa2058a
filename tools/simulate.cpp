// concilio simulate: runs the library with a benchmark's patterns on a machine that is only described, by
// SimGrid's SMPI; or counts what they move, where there are too many to run.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/checked.h"
#include "base/system/read_file.h"
#include "base/text/nearest_name.h"
#include "launch/installation.h"
#include "settings.h"
#include "sim/pattern.h"
#include "sim/record.h"
#include "simulation/counting.h"
#include "simulation/machine.h"
#include "simulation/outcome.h"
#include "simulation/platform.h"
#include "simulation/predicted.h"
#include "simulation/replayed.h"
#include "subcommands.h"
#include "system/temporary_folder.h"
#include "system/write_text.h"

namespace concilio::tools {

namespace {

// The simulator, or the program for it, is not there. (Tests that cannot run end with this status too.)
constexpr int exit_no_simulator = 77;
// As much data as are checked unless the user asks for it: each byte is made, moved and compared for real.
constexpr double most_verified_mib = 4096;

// As many bytes of files as are checked of a record unless the user asks for it, as there is a table of them.
constexpr double most_verified_bytes = 0x1p30;
// What is tried side by side for a record, so that the best is found.
const std::vector<std::string> methods_of_record = {"auto", "two_phase", "list", "sieve", "independent"};

// The method of a program that exchanges its data by itself, which is none of the library's.
constexpr const char* rows = "rows";

struct SimulateOptions {
  std::vector<std::string> patterns;
  std::string record;
  int64_t scale = 1;
  std::string machine;
  std::string prices = "machine";
  RanksWanted ranks;
  std::vector<std::string> methods = {"auto"};
  std::vector<std::string> hints;
  double mib_per_rank = 1;
  int repetitions = 1;
  std::vector<int> io_groups;
  bool independent = false, read_only = false, write_only = false;
  int64_t verify = 0;  // above 0: --verify, below: --no-verify
  std::string json_file, report_file;
  double timeout_seconds = 3600;
  bool list = false;
  bool count = false;
};

Error cannot_simulate(std::string message) {
  return {ErrorKind::argument, 0, std::move(message)};
}

// The text of a machine's file, and its path.
struct MachineFile {
  std::string path, text;
};
// A name without a slash is that of a machine that comes with Concilio, or else of a file.
Result<MachineFile> machine_file(const std::string& name) {
  std::string path = name;
  if (name.find('/') == name.npos) {
    if (const auto shipped = find_machine_file(name)) path = *shipped;
  }
  auto text = read_file(path, most_machine_bytes);
  if (text) return MachineFile{path, std::move(*text)};
  NearestName nearest(name);
  const std::vector<std::string> known = machine_names();
  for (const std::string& one : known) nearest.consider(one.c_str());
  return cannot_simulate(
      fmt::format("--machine {}: {}{}; `concilio simulate --list` lists the machines that come with Concilio",
                  name, text.error().message, nearest.question()));
}

Result<DescribedMachine> described_machine(const MachineFile& file) {
  auto machine = parse_machine(file.text);
  if (!machine)
    return cannot_simulate(fmt::format("{} describes no machine: {}", file.path, machine.error().message));
  return machine;
}

int list_machines() {
  for (const std::string& name : machine_names()) {
    const auto file = machine_file(name);
    const auto machine = file ? described_machine(*file) : Result<DescribedMachine>(file.error());
    if (!machine) {
      complain("simulate: " + machine.error().message);
      return exit_usage;
    }
    fmt::print("{:<16} {}\n{:<16} {}\n", name, machine->about, "", file->path);
  }
  return 0;
}

Status check_words(const SimulateOptions& options) {
  if (options.machine.empty())
    return cannot_simulate("give the machine by --machine; `concilio simulate --list` lists some");
  if (options.record.empty() && options.patterns.empty())
    return cannot_simulate("give a pattern; `concilio simulate --help` lists them");
  if (!options.record.empty() && !options.patterns.empty())
    return cannot_simulate("give either patterns or a record by --record");
  if (!options.io_groups.empty() && options.patterns != std::vector<std::string>{"contiguous"})
    return cannot_simulate(
        "--io-groups: the roots of groups move contiguous data; give the pattern contiguous");
  // A root moves its group's data in one call, whose count is an int.
  for (const int size : options.io_groups) {
    if (options.mib_per_rank * size >= 2048)
      return cannot_simulate(fmt::format(
          "--io-groups: {} ranks of {} MiB are 2 GiB or more; give less by --mib-per-rank, or smaller groups",
          size, options.mib_per_rank));
  }
  for (const std::string& hint : options.hints) {
    if (Status status = check_hint(hint); !status) return status;
  }
  for (const std::string& method : options.methods) {
    if (method == rows && options.record.empty() && options.io_groups.empty()) continue;
    Config config = Config::defaults();
    Status status = set_by_option(config, Config::Origin::info, "--method", "concilio_method", method);
    if (!status) return status;
  }
  return {};
}

// What is wrong with the patterns is said before anything starts. They need no MPI for that.
Status check_patterns(const SimulateOptions& options, const RanksOnNodes& placed) {
  const sim::Size size{static_cast<int>(placed.ranks), static_cast<int64_t>(options.mib_per_rank * 0x1p20)};
  for (const std::string& pattern : options.patterns) {
    if (const auto made = sim::make_pattern(pattern, size); !made) return made.error();
  }
  return {};
}

// The record, and how its ranks and their copies are placed: with as many of them on a node as it had, if the
// machine has so many nodes, else with one on each core.
Result<RanksOnNodes> place_record(const SimulateOptions& options, const sim::Record& record,
                                  const DescribedMachine& machine) {
  const int64_t ranks = record.ranks() * options.scale;
  const std::string copies = options.scale == 1 ? "" : fmt::format(" {} times (--scale)", options.scale);
  if (options.ranks.ranks > 0 && options.ranks.ranks != ranks)
    return cannot_simulate(fmt::format("--ranks {}: {} has the calls of {} ranks{}; give {}, or leave it out",
                                       options.ranks.ranks, options.record, record.ranks(), copies, ranks));
  if (ranks > most_simulated_ranks)
    return cannot_simulate(fmt::format(
        "{} ranks{} are {}, and at most {} can be run; take a smaller --scale, up to {}", record.ranks(),
        copies, ranks, most_simulated_ranks, most_simulated_ranks / record.ranks()));
  for (const sim::RecordedPath& path : record.paths) {
    if (!checked_multiply(path.extent, options.scale))
      return cannot_simulate(
          fmt::format("{}: {} reaches to byte {}, and files cannot be {} times as long; take a "
                      "smaller --scale",
                      options.record, path.name, path.extent, options.scale));
  }
  RanksWanted wanted = options.ranks;
  wanted.ranks = ranks;
  if (wanted.nodes < 0 && wanted.ranks_per_node < 0) {
    const int64_t per_node = (record.ranks() + record.nodes - 1) / record.nodes;
    if (per_node <= machine.cores && (ranks + per_node - 1) / per_node <= machine.nodes)
      wanted.ranks_per_node = per_node;
  }
  return place_ranks(wanted, machine);
}

// The bytes of all files, of all copies.
double bytes_of_files(const SimulateOptions& options, const sim::Record& record) {
  double bytes = 0;
  for (const sim::RecordedPath& path : record.paths)
    bytes += static_cast<double>(path.extent) * static_cast<double>(options.scale);
  return bytes;
}

bool verifies(const SimulateOptions& options, const RanksOnNodes& placed) {
  if (options.verify != 0) return options.verify > 0;
  return options.mib_per_rank * static_cast<double>(placed.ranks) <= most_verified_mib;
}

struct Simulator {
  std::string launcher, program;
};
Result<Simulator> find_simulator(const Environment& environment) {
  const auto program = find_simulated_bench_program(environment);
  if (!program) return program.error();
  const auto launcher = find_simulator_launcher(environment);
  if (!launcher) return launcher.error();
  return Simulator{*launcher, *program};
}

Words simulation_words(const SimulateOptions& options, const Simulator& simulator, const RanksOnNodes& placed,
                       bool verify, const std::string& folder) {
  Words words = simulator_words(simulator.launcher, placed, folder);
  words.insert(
      words.end(),
      {simulator.program, "results=" + folder + "/results.json", "file=" + folder + "/data",
       fmt::format("mib-per-rank={}", options.mib_per_rank),
       fmt::format("repetitions={}", options.repetitions),
       fmt::format("independent={:d}", options.independent), fmt::format("read-only={:d}", options.read_only),
       fmt::format("write-only={:d}", options.write_only), fmt::format("verify={:d}", verify),
       fmt::format("terminal={:d}", isatty(STDERR_FILENO) != 0)});
  for (const std::string& hint : options.hints) words.push_back("hint=" + hint);
  for (const std::string& method : options.methods) words.push_back("method=" + method);
  for (const int size : options.io_groups) words.push_back(fmt::format("io-group={}", size));
  if (!options.record.empty())
    words.insert(words.end(), {"record=" + options.record, fmt::format("scale={}", options.scale)});
  words.insert(words.end(), options.patterns.begin(), options.patterns.end());
  return words;
}

// Whether plans are made by the prices of the machine, as if it had been probed.
bool plans_by_machine(const SimulateOptions& options) {
  return options.prices == "machine";
}
std::string profile_in(const std::string& folder) {
  return folder + "/profile.json";
}
std::string throttle_of(const DescribedMachine& machine, const std::string& folder) {
  return fmt::format("{};state={}/devices", machine.throttle, folder);
}

Environment simulated_environment(const SimulateOptions& options, const DescribedMachine& machine,
                                  const std::string& folder, Environment environment) {
  // What the user measures on this machine, or asks of all runs, is not of the simulated one.
  for (const char* name : {"LD_PRELOAD", "CONCILIO_METHOD", "CONCILIO_REPORT", "CONCILIO_LIVE",
                           "CONCILIO_RECORD", "CONCILIO_RANKS_PER_NODE", "CONCILIO_DISABLE", "CONCILIO_ONLY"})
    environment.unset(name);
  environment.set("TMPDIR", folder);  // for the simulator's copies of the program
  environment.set("CONCILIO_PROFILE", plans_by_machine(options) ? profile_in(folder) : "off");
  environment.set("CONCILIO_THROTTLE", throttle_of(machine, folder));
  if (!options.report_file.empty()) environment.set("CONCILIO_REPORT", options.report_file);
  environment.set("CONCILIO_NODE_MEMORY", fmt::format("{}", fmt::join(machine.free_memory_bytes, ",")));
  return environment;
}

// The ranks of all nodes are in one process, and each has files open.
void raise_limit_of_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// `results` is JSON.
Status write_simulation_json(const SimulateOptions& options, const MachineFile& file,
                             const RanksOnNodes& placed, const std::string& results) {
  nlohmann::json out = {{"machine", nlohmann::json::parse(file.text)},
                        {"ranks", placed.ranks},
                        {"nodes", placed.nodes},
                        {"hints", options.hints},
                        {"prices", options.prices},
                        {"results", nlohmann::json::parse(results)}};
  const nlohmann::json of_record = {{"record", options.record}, {"scale", options.scale}};
  const nlohmann::json of_patterns = {{"mib_per_rank", options.mib_per_rank},
                                      {"repetitions", options.repetitions},
                                      {"collective", !options.independent}};
  out.update(options.record.empty() ? of_patterns : of_record);
  const std::string text = out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (options.json_file != "-") return write_text(options.json_file, text);
  fmt::print("{}", text);
  return {};
}

// What is simulated: everything that the command line and the machine's file say, checked.
struct Simulation {
  MachineFile file;
  DescribedMachine machine;
  RanksOnNodes placed;
  std::optional<sim::Record> record{};  // in place of patterns
  bool verify = true;
};
Result<Simulation> what_to_simulate(const SimulateOptions& options) {
  if (Status status = check_words(options); !status) return status.error();
  auto file = machine_file(options.machine);
  if (!file) return file.error();
  auto machine = described_machine(*file);
  if (!machine) return machine.error();
  if (!options.record.empty()) {
    const auto text = read_all(options.record);
    if (!text) return cannot_simulate(fmt::format("--record {}: {}", options.record, text.error().message));
    auto record = sim::parse_record(*text, options.record);
    if (!record) return cannot_simulate("--record " + record.error().message);
    const auto placed = place_record(options, *record, *machine);
    if (!placed) return placed.error();
    const bool verify =
        options.verify != 0 ? options.verify > 0 : bytes_of_files(options, *record) <= most_verified_bytes;
    return Simulation{std::move(*file), std::move(*machine), *placed, std::move(*record), verify};
  }
  const auto placed = place_ranks(options.ranks, *machine);
  if (!placed) return placed.error();
  if (Status status = check_patterns(options, *placed); !status) return status.error();
  return Simulation{std::move(*file), std::move(*machine), *placed, {}, verifies(options, *placed)};
}

// What is told of results.
struct Told {
  std::string what;  // was simulated
  std::string tables;
  bool failed = false;
};

Result<Told> text_of_simulated(const SimulateOptions& options, const std::string& results) {
  const auto all = parse_outcome(results);
  if (!all) return all.error();
  const auto failed = [](const Simulated& one) { return !one.failure.empty(); };
  return Told{fmt::format("{} MiB a rank", options.mib_per_rank), table_of(*all),
              std::ranges::any_of(*all, failed)};
}

Result<Told> text_of_replayed(const SimulateOptions& options, const Simulation& subject,
                              const std::string& results) {
  const auto all = parse_replayed(results);
  if (!all) return all.error();
  const sim::Record& record = *subject.record;
  Told told;
  told.what = fmt::format("the calls of {} recorded ranks", record.ranks());
  if (options.scale > 1) told.what += fmt::format(", {} times", options.scale);
  if (record.left_out > 0)
    told.tables =
        fmt::format("{} of {} recorded calls are left out, as not all ranks of their file came to them: {}\n",
                    record.left_out, record.total_calls,
                    record.full ? "a rank's record was full" : "the program ended before");
  told.tables += table_of(options.record, *all) + limits_of(*all, subject.machine, subject.placed);
  told.failed = std::ranges::any_of(*all, [](const Replayed& one) { return !one.failure.empty(); });
  return told;
}

// Returns the exit status of the program.
Result<int> run_simulator(const SimulateOptions& options, const Simulator& simulator,
                          const Simulation& subject, const Environment& environment) {
  const auto& [file, machine, placed, record, verify] = subject;
  const auto made = TemporaryFolder::make(environment.temporary_folder(), "concilio-simulate.");
  if (!made) return made.error();
  const std::string& folder = made->path();
  const plan::Profile profile = profile_of(machine, throttle_of(machine, folder));
  for (const auto& [path, text] : {std::pair{folder + "/platform.xml", platform_of(machine, placed.nodes)},
                                   std::pair{folder + "/hosts", host_file_of(placed)},
                                   std::pair{profile_in(folder), plan::profile_as_text(profile, nullptr)}}) {
    if (Status status = write_text(path, text); !status) return status.error();
  }
  raise_limit_of_files();
  const auto begin = std::chrono::steady_clock::now();
  const auto captured = capture(simulation_words(options, simulator, placed, verify, folder),
                                simulated_environment(options, machine, folder, environment),
                                options.timeout_seconds, Echo::yes);
  if (!captured) return captured.error();
  if (captured->exit_status == exit_timeout)
    complain(fmt::format("simulate: stopped after {} seconds (see --timeout)", options.timeout_seconds));
  const auto results = read_file(folder + "/results.json", int64_t{1} << 30);
  if (!results) return captured->exit_status == 0 ? exit_failure : captured->exit_status;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto told =
      record ? text_of_replayed(options, subject, *results) : text_of_simulated(options, *results);
  if (!told) return told.error();
  if (!options.json_file.empty()) {
    if (Status status = write_simulation_json(options, file, placed, *results); !status)
      return status.error();
  }
  if (options.json_file != "-") {
    fmt::print("{}{} rank{} on {} node{}; {}, {}; simulated in {:.1f} s\n{}", text_of(machine), placed.ranks,
               placed.ranks == 1 ? "" : "s", placed.nodes, placed.nodes == 1 ? "" : "s", told->what,
               verify ? "every byte checked" : "bytes not checked", seconds, told->tables);
  }
  return told->failed ? exit_failure : captured->exit_status;
}

// The settings that a file has in a simulation with this method.
Result<Config> config_of(const SimulateOptions& options, const std::string& method,
                         const DescribedMachine& machine) {
  Config config = Config::defaults();
  config.take(Key::node_memory, fmt::format("{}", fmt::join(machine.free_memory_bytes, ",")),
              Config::Origin::environment);
  for (const std::string& hint : options.hints) {
    if (Status set = set_hint(config, Config::Origin::info, hint); !set) return set.error();
  }
  const Status set = set_by_option(config, Config::Origin::info, "--method", "concilio_method", method);
  if (!set) return set.error();
  if (config.text(Key::realms) == "user")
    return cannot_simulate(
        "the realms of the policy 'user' are given by a program (concilio_file_set_realms)");
  return config;
}

bool counts(const SimulateOptions& options, const RanksOnNodes& placed) {
  if (!options.record.empty()) return false;  // its ranks do not ask alike
  return options.count || placed.ranks > most_simulated_ranks;
}

// Returns the exit status.
Result<int> count(const SimulateOptions& options, const Simulation& subject) {
  const auto& [file, machine, placed, record, verify] = subject;
  const std::string because =
      options.count ? "--count" : fmt::format("more than {} ranks, which are counted", most_simulated_ranks);
  if (options.independent)
    return cannot_simulate(
        fmt::format("--independent cannot go with {}: collective calls alone are", because));
  if (std::ranges::count(options.methods, std::string(rows)) > 0)
    return cannot_simulate(fmt::format("--method {} cannot go with {}: it needs a run", rows, because));
  if (!options.report_file.empty())
    return cannot_simulate(fmt::format("--report cannot go with {}: it needs a run", because));
  CountingOptions counting{options.patterns,
                           {},
                           static_cast<int64_t>(options.mib_per_rank * 0x1p20),
                           options.io_groups,
                           !options.read_only,
                           !options.write_only,
                           plans_by_machine(options)};
  for (const std::string& method : options.methods) {
    auto config = config_of(options, method, machine);
    if (!config) return config.error();
    counting.methods.emplace_back(method, std::move(*config));
  }
  const auto all = count_calls(counting, machine, placed);
  if (!all) return all.error();
  if (!options.json_file.empty()) {
    if (Status status = write_simulation_json(options, file, placed, json_of(*all)); !status)
      return status.error();
  }
  if (options.json_file != "-") {
    fmt::print("{}{} rank{} on {} node{}; {} MiB a rank; counted from the plans, not run\n{}",
               text_of(machine), placed.ranks, placed.ranks == 1 ? "" : "s", placed.nodes,
               placed.nodes == 1 ? "" : "s", options.mib_per_rank, table_of(*all));
  }
  const auto failed = [](const Counted& one) { return !one.failure.empty(); };
  return std::ranges::any_of(*all, failed) ? exit_failure : 0;
}

int simulate(const SimulateOptions& options, const Environment& environment) {
  if (options.list) return list_machines();
  const auto refuse = [](const Error& error, int exit_status) {
    complain("simulate: " + error.message);
    return status_after_signals(exit_status);
  };
  const auto subject = what_to_simulate(options);
  if (!subject) return refuse(subject.error(), exit_usage);
  if (counts(options, subject->placed)) {
    const auto status = count(options, *subject);
    return status ? *status : refuse(status.error(), exit_usage);
  }
  const auto simulator = find_simulator(environment);
  if (!simulator) return refuse(simulator.error(), exit_no_simulator);
  const auto status = run_simulator(options, *simulator, *subject, environment);
  return status ? status_after_signals(*status) : refuse(status.error(), exit_usage);
}

std::string simulated_patterns_help() {
  std::string text = "Patterns, as of concilio bench:\n";
  for (const sim::PatternRow& row : sim::pattern_rows()) text += sim::lines_of(row.words);
  return text + "\nThose that can be counted are " + sim::names_of_alike() +
         ".\n\nThe exit status is 1 if a byte was wrong, a call failed or one cannot be counted, 2 if the "
         "command line or the "
         "machine's file "
         "was wrong, and 77 if SimGrid or the program for it is not installed.";
}

}  // namespace

Subcommand add_simulate(CLI::App& app, const Environment& environment) {
  CLI::App* parser = app.add_subcommand(
      "simulate", "Run access patterns on many ranks of a machine that is only described, by SimGrid");
  auto options = std::make_shared<SimulateOptions>();
  parser->add_option("patterns", options->patterns, "The patterns that are listed below")
      ->type_name("PATTERN");
  parser
      ->add_option("--machine", options->machine,
                   "A file that describes the machine, or a name that --list lists")
      ->type_name("FILE");
  parser->add_flag("--list", options->list, "List the machines that come with Concilio, and their files");
  parser
      ->add_option("-n,--ranks", options->ranks.ranks,
                   "Number of ranks (default: one on each core of the nodes)")
      ->check(CLI::Range(1, INT32_MAX))
      ->type_name("RANKS");
  parser->add_option("--nodes", options->ranks.nodes, "Number of nodes (default: as few as hold the ranks)")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("COUNT");
  parser
      ->add_option("--ranks-per-node", options->ranks.ranks_per_node,
                   "Most ranks on a node (default: its number of cores)")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("COUNT");
  parser->add_flag(
      "--count", options->count,
      "Count what the calls move, from their plans, and run nothing; so it is done anyway with more "
      "than 20 000 ranks");
  auto* record = parser
                     ->add_option("--record", options->record,
                                  "In place of patterns: the calls of a program that concilio run --record "
                                  "has written to FILE")
                     ->type_name("FILE");
  parser
      ->add_option(
          "--scale", options->scale,
          "With --record: so many times as many ranks, each copy of them in its own part of the files")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("COPIES")
      ->capture_default_str()
      ->needs(record);
  auto* methods =
      parser
          ->add_option("--method", options->methods,
                       "Methods to simulate side by side: a list of auto"
#define METHOD(name, ranks, writes, summary) ", " #name
#include "base/methods.def"
                       ", rows (without the library: ranks exchange by MPI_Alltoallv, and make large "
                       "requests; of block3d and block4d)")
          ->delimiter(',')
          ->allow_extra_args(false)
          ->type_name("LIST")
          ->capture_default_str();
  parser->add_option("--hint", options->hints, "Hint that the program gives to MPI_File_open")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  parser
      ->add_option(
          "--prices", options->prices,
          "What plans are made by: the machine's own prices, as if it had been probed, or those that "
          "are built in")
      ->check(CLI::IsMember({"machine", "builtin"}))
      ->type_name("WHICH")
      ->capture_default_str();
  parser->add_option("--mib-per-rank", options->mib_per_rank, "MiB that each rank moves in a call")
      ->check(CLI::PositiveNumber & CLI::Range(0.0, 1048576.0))
      ->type_name("MIB")
      ->capture_default_str();
  parser
      ->add_option("--repetitions", options->repetitions,
                   "Number of calls that count, after one that does not")
      ->check(CLI::Range(1, 1000))
      ->type_name("COUNT")
      ->capture_default_str();
  auto* io_groups =
      parser
          ->add_option(
              "--io-groups", options->io_groups,
              "Sizes of groups of ranks, side by side: only the first rank of each opens the file and calls, "
              "and the others hand it their data, or get theirs from it, by messages")
          ->delimiter(',')
          ->allow_extra_args(false)
          ->check(CLI::Range(1, INT32_MAX))
          ->type_name("LIST");
  parser->add_flag("--independent", options->independent, "Independent calls in place of collective ones");
  auto* read_only = parser->add_flag("--read-only", options->read_only, "Only read");
  parser->add_flag("--write-only", options->write_only, "Only write")->excludes(read_only);
  parser->add_flag(
      "--verify,!--no-verify", options->verify,
      "Check every byte (default: if all ranks together move at most 4 GiB in a call; with --record, "
      "if the files have at most 1 GiB)");
  parser
      ->add_option("--json", options->json_file,
                   "Write the results as JSON to FILE; -: to stdout, in place of the table")
      ->type_name("FILE");
  parser
      ->add_option("--report", options->report_file,
                   "Append what the library records of each file to FILE, for concilio report")
      ->type_name("FILE");
  parser->add_option("--timeout", options->timeout_seconds, "Seconds after which the simulation is stopped")
      ->check(CLI::PositiveNumber)
      ->type_name("SECONDS")
      ->capture_default_str();
  for (const char* of_calls : {"--repetitions", "--independent", "--read-only"})
    io_groups->excludes(parser->get_option(of_calls));
  for (const char* of_patterns : {"--count", "--mib-per-rank", "--repetitions", "--io-groups",
                                  "--independent", "--read-only", "--write-only"})
    record->excludes(parser->get_option(of_patterns));
  parser->footer(simulated_patterns_help());
  return {parser, [=, &environment] {
            if (!options->record.empty() && methods->count() == 0) options->methods = methods_of_record;
            return simulate(*options, environment);
          }};
}

}  // namespace concilio::tools
