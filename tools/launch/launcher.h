// Launchers (mpirun and its kin): knowing one, finding the program among its words, and putting settings into
// the environment of the ranks it starts.
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

// By its name alone: mpirun, mpiexec.hydra, srun, ...
bool is_launcher_name(std::string_view word);
// By its name and by what `LAUNCHER --version` wrote.
LauncherKind launcher_kind(std::string_view word, std::string_view version_text);

// The words of a launcher's command line that may be the program: of each part between ":", those that are
// neither an option nor the value of an option known to take one, up to the first that is certainly an
// argument. Indices, one list a part.
std::vector<std::vector<size_t>> program_candidates(const Words& words, LauncherKind kind);

// What the ranks shall find in their environment.
struct RankSettings {
  std::string library;                                         // to be preloaded; several: "one:other"
  std::vector<std::pair<std::string, std::string>> variables;  // and these set
};

// The launcher's command line that gives the settings to the ranks and, where the launcher can do that, not
// to itself. A preload that the user already has stays, before ours. `environment` is changed where the
// launcher takes settings from there.
Words with_rank_settings(const Words& words, LauncherKind kind, const RankSettings& settings,
                         Environment& environment);
// The same for a program that is run without a launcher, or by one of which nothing is known.
void set_in_environment(const RankSettings& settings, Environment& environment);

}  // namespace concilio::tools
