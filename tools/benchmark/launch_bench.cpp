#include "benchmark/launch_bench.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "launch/launcher.h"

namespace concilio::tools {

namespace {

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

void add_program_options(const BenchOptions& options, const BenchLaunch& launch, Words& words) {
  if (!options.mib_per_rank.empty()) words.insert(words.end(), {"--mib-per-rank", options.mib_per_rank});
  words.insert(words.end(), {"--repetitions", std::to_string(options.repetitions)});
  for (const std::string& hint : options.hints) words.insert(words.end(), {"--hint", hint});
  words.insert(words.end(), {"--calls", options.calls});
  if (options.read_only) words.push_back("--read-only");
  if (options.write_only) words.push_back("--write-only");
  if (options.sync) words.push_back("--sync");
  if (options.overlap) words.push_back("--overlap");
  if (options.no_verify) words.push_back("--no-verify");
  for (const auto& [name, value] :
       {std::pair{"--device", &options.device}, std::pair{"--methods", &options.methods},
        std::pair{"--warm-up", &options.warm_up}, std::pair{"--measure-for", &options.measure_for},
        std::pair{"--method-timeout", &options.method_timeout},
        std::pair{"--skip-slower-than", &options.skip_slower_than}}) {
    if (!value->empty()) words.insert(words.end(), {name, *value});
  }
  if (launch.json) words.push_back("--json");
}

}  // namespace

std::string default_data_file(const Environment& environment, const std::string& ending) {
  const std::string folder = environment.get("TMPDIR").value_or("");
  return fmt::format("{}concilio-bench.{}{}", folder.empty() ? "" : folder + "/", getpid(), ending);
}

Result<LaunchCommand> make_launch_command(const BenchLaunch& launch, const std::string& program,
                                          const Words& arguments, const std::string& report,
                                          const Environment& environment) {
  const auto launcher = find_launcher(launch.flavour, environment);
  if (!launcher) return launcher.error();
  LaunchCommand command;
  command.environment = environment;
  command.words = {*launcher};
  if (usual_family(launch.flavour) == Family::openmpi) {
    command.words.push_back("--oversubscribe");
    if (geteuid() == 0) {
      command.environment.set("OMPI_ALLOW_RUN_AS_ROOT", "1");
      command.environment.set("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    }
  }
  command.words.insert(command.words.end(), {"-n", std::to_string(launch.ranks), program});
  const size_t place_of_program = command.words.size() - 1;
  command.words.insert(command.words.end(), arguments.begin(), arguments.end());
  if (launch.under_concilio) {
    const auto library = find_library(launch.flavour, environment);
    if (!library) return library.error();
    RankSettings settings{*library, {}};
    if (!report.empty()) settings.variables.emplace_back("CONCILIO_REPORT", report);
    const LauncherKind kind =
        usual_family(launch.flavour) == Family::openmpi ? LauncherKind::openmpi : LauncherKind::hydra;
    auto words =
        with_rank_settings({command.words, 0, kind, {place_of_program}}, settings, command.environment);
    if (!words) return words.error();
    command.words = std::move(*words);
  }
  return command;
}

Result<LaunchCommand> make_bench_command(const BenchLaunch& launch, const BenchOptions& options,
                                         const std::vector<std::string>& patterns, const std::string& report,
                                         const Environment& environment) {
  const auto program = find_bench_program(launch.flavour, environment);
  if (!program) return program.error();
  const std::string data_file = options.file.empty() ? default_data_file(environment, ".dat") : options.file;
  Words arguments;
  add_program_options(options, launch, arguments);
  arguments.insert(arguments.end(), {"--file", data_file});
  arguments.insert(arguments.end(), patterns.begin(), patterns.end());
  auto command = make_launch_command(launch, *program, arguments, report, environment);
  if (!command) return command;
  // Each method has a file, and some patterns have one for each rank.
  Words files;
  for (const std::string& method : split_at_commas(options.methods))
    files.push_back(fmt::format("{}.{}", data_file, method));
  if (files.empty()) files.push_back(data_file);
  for (const std::string& file : files) {
    command->data_files.push_back(file);
    for (int rank = 0; rank < launch.ranks; ++rank)
      command->data_files.push_back(fmt::format("{}.{}", file, rank));
  }
  return command;
}

Result<Captured> run_bench_command(const LaunchCommand& command, double timeout_seconds, Echo echo) {
  auto captured = capture(command.words, command.environment, timeout_seconds, echo);
  for (const std::string& file : command.data_files) unlink(file.c_str());
  return captured;
}

Result<std::vector<Flavour>> bench_flavours(const std::string& wanted, const Environment& environment,
                                            FindProgram find_program) {
  std::vector<Flavour> flavours;
  if (wanted.empty()) {
    std::string missing;
    for (const Flavour flavour : all_flavours) {
      const auto program = find_program(flavour, environment);
      if (program.ok() && find_launcher(flavour, environment).ok()) {
        flavours.push_back(flavour);
      } else if (!program.ok() && missing.empty()) {
        missing = program.error().message;
      }
    }
    if (flavours.empty()) return Error{ErrorKind::no_such_file, 0, missing};
    return flavours;
  }
  for (const std::string& word : split_at_commas(wanted)) {
    const auto flavour = flavour_of_word(word);
    if (!flavour)
      return Error{ErrorKind::argument, 0, fmt::format("--mpi {}: choose {}", word, flavour_words())};
    flavours.push_back(*flavour);
  }
  return flavours;
}

Result<std::vector<int>> parse_rank_counts(const std::string& text) {
  std::vector<int> counts;
  for (const std::string& word : split_at_commas(text)) {
    int count = 0;
    const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), count);
    if (failed != std::errc() || end != word.data() + word.size() || count < 1)
      return Error{ErrorKind::argument, 0, fmt::format("-n {}: '{}' is not a number of ranks", text, word)};
    counts.push_back(count);
  }
  if (counts.empty()) return Error{ErrorKind::argument, 0, "-n needs a number of ranks"};
  return counts;
}

Result<BenchMachine> parse_bench_machine(const BenchOptions& options, const Environment& environment) {
  auto rank_counts = parse_rank_counts(options.ranks);
  if (!rank_counts) return rank_counts.error();
  auto flavours = bench_flavours(options.mpi, environment);
  if (!flavours) return flavours.error();
  return BenchMachine{std::move(*rank_counts), std::move(*flavours)};
}

bool wants_concilio(const BenchOptions& options) {
  if (options.concilio) return true;
  const std::vector<std::string> methods = split_at_commas(options.methods);
  return std::any_of(methods.begin(), methods.end(), [](const std::string& method) {
    return method != "mpi" && method != "posix" && method != "rows";
  });
}

const std::vector<std::string>& default_patterns() {
  static const std::vector<std::string> patterns = {"contiguous",
                                                    "interleaved:64",
                                                    "interleaved:1024",
                                                    "interleaved:4096",
                                                    "interleaved:65536",
                                                    "hpio:64/64",
                                                    "block3d",
                                                    "btio",
                                                    "unstruc"};
  return patterns;
}

}  // namespace concilio::tools
