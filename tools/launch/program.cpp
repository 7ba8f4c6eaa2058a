#include "launch/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "launch/launcher.h"
#include "launch/python.h"

namespace concilio::tools {

namespace {

// The words of a script's first line: "#!/usr/bin/env python3" -> /usr/bin/env, python3.
Words shebang_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char mark[2] = "";
  std::string line;
  Words words;
  if (!file.read(mark, 2) || mark[0] != '#' || mark[1] != '!' || !std::getline(file, line)) return words;
  std::istringstream stream(line.substr(0, 4096));
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// The command line that Python gets, if words[place] is Python or a script that Python runs.
std::optional<Words> python_words(const Words& words, size_t place, const std::string& path) {
  Words all;
  if (is_python_name(std::filesystem::path(words[place]).filename().string())) {
    all.assign(words.begin() + static_cast<long>(place), words.end());
    all[0] = path;
    return all;
  }
  all = shebang_of(path);
  if (!all.empty() && std::filesystem::path(all[0]).filename() == "env") {
    all.erase(all.begin());
    while (!all.empty() && (all[0][0] == '-' || all[0].find('=') != std::string::npos))
      all.erase(all.begin());
  }
  if (all.empty() || !is_python_name(std::filesystem::path(all[0]).filename().string())) return std::nullopt;
  all.push_back(path);
  return all;
}

}  // namespace

bool usually_starts_others(const std::string& name) {
  static const char* const prefixes[] = {"python", "pypy",  "perl", "ruby", "lua",
                                         "tclsh",  "julia", "node", "java"};
  static const char* const names[] = {"R",   "Rscript", "octave", "sh",      "bash",        "dash",     "ksh",
                                      "zsh", "csh",     "tcsh",   "busybox", "singularity", "apptainer"};
  for (const char* prefix : prefixes) {
    if (name.compare(0, std::strlen(prefix), prefix) == 0) return true;
  }
  return is_wrapper_name(name) || std::find(std::begin(names), std::end(names), name) != std::end(names);
}

std::string Program::sentence() const {
  if (!module.empty()) return fmt::format("{} loads {} through {}", path, mpi->described(), module);
  return fmt::format("{} is linked with {}", path, mpi->described());
}

Program inspect_program(const std::string& path, const Environment& environment) {
  Program program;
  program.path = path;
  const auto interpreter = interpreter_of(path);
  if (!interpreter) {
    program.kind = Program::Kind::starts_others;
    return program;
  }
  if (interpreter->empty()) {
    program.kind = Program::Kind::statically_linked;
  } else {
    // The kernel has followed links before the loader asks where the program lies ($ORIGIN).
    std::error_code failed;
    const auto file = std::filesystem::canonical(path, failed);
    const std::string listing = listing_of_file(failed ? path : file.string(), *interpreter, environment);
    program.mpi = mpi_library_of_listing(listing);
    program.runtime_before_others = address_sanitizer_of_listing(listing);
    program.kind = program.mpi ? Program::Kind::has_mpi : Program::Kind::without_mpi;
  }
  if (!program.mpi && usually_starts_others(std::filesystem::path(path).filename().string()))
    program.kind = Program::Kind::starts_others;
  return program;
}

std::optional<Program> inspect_command(const Words& words, size_t place, const Environment& environment,
                                       const std::string& folder) {
  // A name without a slash is looked for in PATH, wherever the program is started.
  const bool is_path = words[place].find('/') != std::string::npos;
  const auto path = environment.find_executable(
      is_path ? (std::filesystem::path(folder) / words[place]).string() : words[place]);
  if (!path) return std::nullopt;
  Program program = inspect_program(*path, environment);
  const auto python = program.mpi ? std::nullopt : python_words(words, place, *path);
  if (python) {
    program.kind = Program::Kind::starts_others;
    program.is_python = true;
    if (auto loaded = mpi_of_python(*python, environment)) {
      program.kind = Program::Kind::has_mpi;
      program.mpi = std::move(loaded->mpi);
      program.module = std::move(loaded->module);
    }
  }
  if (program.mpi && !program.mpi->path.empty()) program.mpi->version = version_of_library(program.mpi->path);
  return program;
}

}  // namespace concilio::tools
