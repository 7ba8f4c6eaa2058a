// concilio study: finds the Python package that measures and draws, and an interpreter that can.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "launch/installation.h"
#include "subcommands.h"

namespace concilio::tools {

namespace {

// Looks for matplotlib without importing it, since an import takes a second.
constexpr const char* look_for_matplotlib =
    "import importlib.util, sys; sys.exit(0 if importlib.util.find_spec('matplotlib') else 3)";

bool draws(const std::string& python, const Environment& environment) {
  const auto asked = capture({python, "-c", look_for_matplotlib}, environment, 20);
  return asked && asked->exit_status == 0;
}

struct Interpreter {
  std::string path;
  bool can_draw = false;
};

// The first one that can draw, or else the first one.
Result<Interpreter> find_interpreter(const Environment& environment) {
  const Words candidates = pythons(environment);
  Interpreter found;
  for (const std::string& word : candidates) {
    const auto path = environment.find_executable(word);
    if (!path) continue;
    if (draws(*path, environment)) return Interpreter{*path, true};
    if (found.path.empty()) found.path = *path;
  }
  if (found.path.empty())
    return Error{ErrorKind::no_such_file, ENOENT,
                 fmt::format("there is no {}; install Debian's package python3, or set CONCILIO_PYTHON to an "
                             "interpreter of Python 3.9 or later",
                             fmt::join(candidates, " and no "))};
  return found;
}

bool needs_no_figures(const Words& words) {
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word == "--numbers-only" || word == "--help" || word == "-h";
  });
}

int run_study(const Words& words, Environment environment) {
  const auto package = find_python_package(environment);
  const auto python = find_interpreter(environment);
  for (const auto* fault : {package ? nullptr : &package.error(), python ? nullptr : &python.error()}) {
    if (fault == nullptr) continue;
    complain("study: " + fault->message);
    return exit_usage;
  }
  if (!python->can_draw && !needs_no_figures(words)) {
    complain(fmt::format(
        "study: {} has no matplotlib, which draws the figures; install Debian's package python3-matplotlib, "
        "set CONCILIO_PYTHON to an interpreter that has it, or give --numbers-only",
        python->path));
    return exit_usage;
  }
  std::error_code failed;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (!failed) environment.set("CONCILIO_COMMAND", self.string());
  // The option -B keeps Python from writing into the package's folder, which may belong to another user or be
  // a source tree.
  Words command = {python->path, "-B", *package};
  command.insert(command.end(), words.begin(), words.end());
  const auto status = run_to_end(command, environment);
  if (!status) {
    complain("study: " + status.error().message);
    return exit_usage;
  }
  return *status;
}

}  // namespace

std::string help_of_study(const Environment& environment) {
  const auto package = find_python_package(environment);
  const auto python = find_interpreter(environment);
  if (!package || !python) return {};
  const auto told = capture({python->path, "-B", *package, "--help"}, environment, 20);
  return told ? told->output : "";
}

Subcommand add_study(CLI::App& app, const Environment& environment) {
  CLI::App* parser = app.add_subcommand(
      "study", "Repeat the evaluations of papers on your own storage, and write a report with figures");
  // Every word of the command line, even --help, belongs to the Python package.
  parser->set_help_flag("");
  parser->prefix_command();
  return {parser, [=] { return run_study(parser->remaining(), environment); }};
}

}  // namespace concilio::tools
