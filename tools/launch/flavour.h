// The MPIs that Concilio has libraries for, and how their launchers are told apart.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "system/environment.h"

namespace concilio::tools {

// Each flavour has its own library of Concilio.
enum class Flavour { openmpi, mpich, openmpi5, mpich5, mpiabi };
inline constexpr std::array all_flavours = {Flavour::openmpi, Flavour::mpich, Flavour::openmpi5,
                                            Flavour::mpich5, Flavour::mpiabi};

// A family of MPIs has launchers that start programs in the same way.
enum class Family { openmpi, mpich };

const char* flavour_word(Flavour flavour);  // "openmpi", as in file names and options
const char* flavour_name(Flavour flavour);  // "Open MPI", as in messages
std::optional<Flavour> flavour_of_word(std::string_view word);
// "openmpi, mpich, ... or mpiabi"
const std::string& flavour_words();
// The family whose launcher usually comes with a flavour.
Family usual_family(Flavour flavour);

const char* family_name(Family family);
const char* family_word(Family family);  // "openmpi", as in mpirun.openmpi

// What `LAUNCHER --version` or MPI_Get_library_version says of the MPI.
struct MpiVersion {
  Family family = Family::openmpi;
  int major = 0;       // 0 if it is not known
  std::string number;  // "5.0.11"; empty if it is not known
};
std::optional<MpiVersion> version_of_text(std::string_view text);

// The launcher that started this process as one of its ranks.
struct RunningLauncher {
  int rank = 0;
  std::optional<Family> family;  // none if programs of any MPI are started in this way (Slurm, Flux)
};
// None if no launcher did. What is set for launchers themselves (HYDRA_LAUNCHER, a job script's SLURM_PROCID)
// does not count.
std::optional<RunningLauncher> running_launcher(const Environment& environment);

}  // namespace concilio::tools
