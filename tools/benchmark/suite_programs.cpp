#include "benchmark/suite_programs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <chrono>
#include <optional>

#include "benchmark/compare.h"
#include "launch/installation.h"

namespace concilio::tools {
namespace {

constexpr const char* compiled[] = {"start", "hdf5", "netcdf", "pnetcdf"};
constexpr const char* h5py = "h5py";

Result<LaunchCommand> command_of(const SuiteProgram& program, const BenchLaunch& launch,
                                 const Words& arguments, const Environment& environment) {
  Words words(program.words.begin() + 1, program.words.end());
  words.insert(words.end(), arguments.begin(), arguments.end());
  return make_launch_command(launch, program.words.front(), words, "", environment);
}

// The first Python whose h5py is parallel on this MPI.
std::optional<SuiteProgram> h5py_program(Flavour flavour, const Environment& environment) {
  constexpr double most_seconds = 60;
  constexpr int ranks = 2;  // a Python of another MPI finds itself on one
  const auto script = find_measured_program(h5py, environment);
  if (!script) return std::nullopt;
  for (const std::string& python : pythons(environment)) {
    const auto path = environment.find_executable(python);
    if (!path) continue;
    SuiteProgram program{h5py, {*path, *script}};
    const auto asked = command_of(program, {flavour, ranks, false, false},
                                  {"--of", family_name(usual_family(flavour))}, environment);
    if (!asked) return std::nullopt;
    const auto answer = capture(asked->words, asked->environment, most_seconds);
    if (answer && answer->exit_status == 0) return program;
  }
  return std::nullopt;
}

}  // namespace

std::string list_of_programs() {
  return fmt::format("{} {}", fmt::join(compiled, " "), h5py);
}

std::vector<SuiteProgram> installed_programs(Flavour flavour, const Environment& environment) {
  std::vector<SuiteProgram> programs;
  for (const char* name : compiled) {
    const auto path = find_measured_program(fmt::format("{}-{}", name, flavour_word(flavour)), environment);
    if (path) programs.push_back({name, {*path}});
  }
  if (auto program = h5py_program(flavour, environment)) programs.push_back(std::move(*program));
  return programs;
}

Status time_program(const SuiteProgram& program, const BenchLaunch& launch, const BenchOptions& options,
                    const Environment& environment, std::vector<double>& seconds, std::string& failure) {
  // Where there are none yet, one more start fills the caches with what it loads.
  const int counted = 2, first = seconds.empty() ? -1 : 0;
  const std::string file = options.file.empty() ? default_data_file(environment, ".dat") : options.file;
  const auto command = command_of(program, launch, {file}, environment);
  if (!command) return command.error();
  for (int start = first; start < counted; ++start) {
    const auto begin = std::chrono::steady_clock::now();
    const auto captured = capture(command->words, command->environment, options.timeout_seconds);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    unlink(file.c_str());
    if (!captured) return captured.error();
    if (stop_signal() != 0)
      return Error{ErrorKind::other, 0, fmt::format("stopped by signal {}", stop_signal())};
    if (captured->exit_status != 0) {
      failure = failure_of(*captured);
      return {};
    }
    if (start >= 0) seconds.push_back(took.count());
  }
  return {};
}

}  // namespace concilio::tools
