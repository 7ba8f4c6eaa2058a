#include "launch/lost_preload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "base/system/read_file.h"
#include "launch/program.h"

namespace concilio::tools {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view preload_variable = "LD_PRELOAD";
constexpr int64_t most_script_bytes = 1 << 20;

// The path of an executable file; empty if the word names none.
std::string executable_of(const std::string& word, const Loading& loading, const Environment& environment) {
  const bool is_path = word.find('/') != std::string::npos;
  return environment
      .find_executable(is_path ? (fs::path(loading.folder) / word).lexically_normal().string() : word)
      .value_or("");
}

// Why nothing can be preloaded into a program; empty if something can.
std::string why_nothing_is_preloaded(const std::string& path) {
  struct stat status {};
  if (path.empty() || stat(path.c_str(), &status) != 0) return "";
  // The loader then trusts no variable of the user.
  if ((status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid())
    return fmt::format("{} is setuid, so no library is preloaded into it: start a copy that is not", path);
  if ((status.st_mode & S_ISGID) != 0 && (status.st_mode & S_IXGRP) != 0 && status.st_gid != getegid())
    return fmt::format("{} is setgid, so no library is preloaded into it: start a copy that is not", path);
  if (const auto interpreter = interpreter_of(path); interpreter && interpreter->empty())
    return fmt::format("{} is statically linked, so no library can be preloaded into it: link it dynamically",
                       path);
  return "";
}

bool names_preload(std::string_view word) {
  for (const std::string_view option : {"-u", "--unset=", ""}) {
    if (!word.starts_with(option)) continue;
    const std::string_view rest = word.substr(option.size());
    if (rest.starts_with(preload_variable) &&
        (rest.size() == preload_variable.size() || rest[preload_variable.size()] == '='))
      return true;
  }
  return false;
}

// "`env -u LD_PRELOAD` removes LD_PRELOAD"
std::string by_option(const Words& words) {
  const bool is_env = fs::path(words.at(0)).filename() == "env";
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool clears = is_env && (word == "-i" || word == "-" || word == "--ignore-environment");
    if (!clears && !names_preload(word)) {
      // Behind its options env has the program.
      if (is_env && word[0] != '-' && word.find('=') == std::string::npos && words[i - 1] != "-u") break;
      continue;
    }
    const Words said(words.begin(), words.begin() + static_cast<long>(i) + 1);
    const bool removes = clears || word.find('=') == std::string::npos || word.starts_with("--unset=");
    return fmt::format("`{}` {} LD_PRELOAD: leave that option out", fmt::join(said, " "),
                       removes ? "removes" : "changes");
  }
  return "";
}

// A script's text and its name.
struct Script {
  std::string name, text;
};

// The script that an interpreter runs, if these are its words.
std::optional<Script> script_of(const Loading& loading) {
  const Words& words = loading.words;
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "-c" && i + 1 < words.size())
      return Script{fmt::format("`{} -c`", fs::path(words[0]).filename().string()), words[i + 1]};
    if (words[i].empty() || words[i][0] == '-') continue;
    auto text = read_file((fs::path(loading.folder) / words[i]).string(), most_script_bytes);
    if (!text || text->find('\0') != std::string::npos) return std::nullopt;
    return Script{words[i], std::move(*text)};
  }
  return std::nullopt;
}

// "wrapper.sh removes LD_PRELOAD (line 3: unset LD_PRELOAD)", or a program that it starts takes none.
std::string by_script(const Script& script, const Loading& loading, const Environment& environment) {
  std::istringstream lines(script.text);
  int number = 0;
  std::string of_program;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const size_t begin = line.find_first_not_of(" \t");
    if (begin == line.npos || line[begin] == '#') continue;
    if (line.find(preload_variable) != line.npos) {
      const bool removes = line.find("unset") != line.npos;
      return fmt::format("{} {} LD_PRELOAD (line {}: {}): leave that out, or start the program itself",
                         script.name, removes ? "removes" : "changes", number, line.substr(begin));
    }
    std::istringstream words(line);
    for (std::string word; of_program.empty() && words >> word;) {
      std::erase_if(word, [](char c) { return c == '"' || c == '\'' || c == ';'; });
      of_program = why_nothing_is_preloaded(executable_of(word, loading, environment));
    }
  }
  return of_program;
}

std::string explained_by(const Loading& loading, const Environment& environment) {
  const Words& words = loading.words;
  if (words.empty()) return "";
  // What these start is one of their words.
  if (is_wrapper_name(words[0]) || is_launcher_name(words[0])) {
    if (std::string option = by_option(words); !option.empty()) return option;
    for (size_t i = 1; i < words.size(); ++i) {
      std::string why = why_nothing_is_preloaded(executable_of(words[i], loading, environment));
      if (!why.empty()) return why;
    }
    return "";
  }
  const bool is_interpreter = usually_starts_others(fs::path(words[0]).filename().string());
  const auto script = is_interpreter ? script_of(loading) : std::nullopt;
  return script ? by_script(*script, loading, environment) : "";
}

bool has_mpi(const Loading& loading, const Environment& environment) {
  if (loading.words.empty()) return false;
  const std::string path = executable_of(loading.words[0], loading, environment);
  return !path.empty() && inspect_program(path, environment).kind == Program::Kind::has_mpi;
}

}  // namespace

std::vector<Loading> loadings_in(std::string_view notes) {
  std::vector<Loading> all;
  std::istringstream lines{std::string(notes)};
  for (std::string line; std::getline(lines, line);) {
    const auto note = nlohmann::json::parse(line, nullptr, false);
    if (!note.is_object()) continue;
    all.push_back({note.value("folder", ""), note.value("words", Words())});
  }
  return all;
}

std::string who_lost_preload(const std::vector<Loading>& loadings, const Words& command,
                             const Environment& environment) {
  // What began last is nearest to the program.
  std::set<Words> seen;
  for (auto loading = loadings.rbegin(); loading != loadings.rend(); ++loading) {
    if (!seen.insert(loading->words).second) continue;  // other ranks
    if (has_mpi(*loading, environment)) return "";      // it was not lost
    if (std::string why = explained_by(*loading, environment); !why.empty()) return why;
  }
  if (!loadings.empty() || command.empty()) return "";
  std::error_code unknown;
  const Loading started{fs::current_path(unknown).string(), command};
  std::string why = why_nothing_is_preloaded(executable_of(command[0], started, environment));
  return why.empty() ? explained_by(started, environment) : why;
}

std::string option_of_hosts(const LauncherLine& line) {
  static constexpr std::string_view names[] = {
      "H", "host",     "hostfile", "default-hostfile", "machinefile", "f",           "hosts", "nodelist",
      "w", "nodefile", "rf",       "rankfile",         "add-host",    "add-hostfile"};
  for (size_t i = line.launcher + 1; i < line.words.size() && i < line.programs.at(0); ++i) {
    const std::string& word = line.words[i];
    if (word.size() < 2 || word[0] != '-') continue;
    const std::string_view name = std::string_view(word).substr(word.find_first_not_of('-'));
    const std::string_view plain = name.substr(0, name.find('='));
    if (std::ranges::find(names, plain) == std::end(names)) continue;
    return plain.size() < name.size() || i + 1 == line.words.size() ? word : word + " " + line.words[i + 1];
  }
  return "";
}

}  // namespace concilio::tools
