// Launchers (mpirun and others): recognises them, finds the program among their words, and puts settings into
// the environment of the ranks that they start.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/flavour.h"
#include "system/process.h"

namespace concilio::tools {

enum class LauncherKind { openmpi, hydra, slurm, other };

// Recognises a launcher by its name alone: mpirun, mpiexec.hydra, srun and others.
bool is_launcher_name(std::string_view word);
// Recognises a launcher by its name and by what `LAUNCHER --version` wrote.
LauncherKind launcher_kind(std::string_view word, std::string_view version_text);

// The words of a launcher's command line that may be the program. In each part between ":", these are the
// words that are neither an option nor the value of an option known to have one, up to the first word that is
// certainly an argument. Returns one list of indices for each part.
std::vector<std::vector<size_t>> program_candidates(const Words& words, LauncherKind kind);

// What the ranks have to find in their environment.
struct RankSettings {
  std::string library;                                         // the library to preload; several: "one:other"
  std::vector<std::pair<std::string, std::string>> variables;  // variables to set
};

// The launcher's command line that passes the settings to the ranks and, if the launcher can do that, not to
// itself. Libraries that the user already preloads stay, before Concilio's. `environment` is changed if the
// launcher takes settings from it.
Words with_rank_settings(const Words& words, LauncherKind kind, const RankSettings& settings,
                         Environment& environment);
// The same for a program that is run without a launcher, or by an unknown launcher.
void set_in_environment(const RankSettings& settings, Environment& environment);

}  // namespace concilio::tools
