// Launchers (mpirun and others): recognises them, finds the program among their words, and puts settings into
// the environment of the ranks that they start.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "launch/flavour.h"
#include "system/environment.h"
#include "system/process.h"

namespace concilio::tools {

enum class LauncherKind { openmpi, hydra, slurm, other };

// Recognises a launcher by its name alone: mpirun, mpiexec.hydra, srun and others.
bool is_launcher_name(std::string_view word);
// Recognises a launcher by its name and by what `LAUNCHER --version` wrote.
LauncherKind launcher_kind(std::string_view word, std::string_view version_text);

// Recognises a program that only starts the one behind it, such as timeout or numactl.
bool is_wrapper_name(std::string_view word);
// Where the launcher is among the words of a command: the first of them, or one behind wrappers.
std::optional<size_t> place_of_launcher(const Words& words, const Environment& environment);

// The command line of a launcher. MPMD lines have several parts, with ":" between them.
struct LauncherLine {
  Words words;
  size_t launcher = 0;  // the place of the launcher; before it are wrappers
  LauncherKind kind = LauncherKind::other;
  std::vector<size_t> programs;  // the place of each part's program; options of the launcher end there
};

// The words that may be the program: in each part those that are neither an option nor the value of an option
// known to have one, up to the first word that is certainly an argument. Returns one list of places for each
// part.
std::vector<std::vector<size_t>> program_candidates(const LauncherLine& line);

// The environment of the ranks whose program is at the place `program`: `environment`, and what options
// before that place set.
Environment environment_of_ranks(const LauncherLine& line, size_t program, const Environment& environment);

// The working folder that an option gives these ranks; empty if none does.
std::string folder_of_ranks(const LauncherLine& line, size_t program);

// What the ranks have to find in their environment.
struct RankSettings {
  std::string library;                                         // the library to preload; several: "one:other"
  std::vector<std::pair<std::string, std::string>> variables;  // variables to set
};

// The words that pass the settings to the ranks and, if the launcher can do that, not to itself. Libraries
// that the user already preloads stay, before Concilio's; other variables that the line sets give way to
// those of the settings. `environment` is changed if the launcher takes settings from it.
Result<Words> with_rank_settings(const LauncherLine& line, const RankSettings& settings,
                                 Environment& environment);
// The same for a program that is run without a launcher, or by an unknown launcher.
void set_in_environment(const RankSettings& settings, Environment& environment);

}  // namespace concilio::tools
