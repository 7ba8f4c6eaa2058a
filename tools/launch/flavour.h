// Which MPI: the ones that Concilio has libraries for, and how their launchers are told apart.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "system/environment.h"

namespace concilio::tools {

// One library of Concilio each.
enum class Flavour { openmpi, mpich, openmpi5, mpich5, mpiabi };
inline constexpr std::array all_flavours = {Flavour::openmpi, Flavour::mpich, Flavour::openmpi5,
                                            Flavour::mpich5, Flavour::mpiabi};

// Whose launchers start a program, and how.
enum class Family { openmpi, mpich };

const char* flavour_word(Flavour flavour);  // "openmpi": in file names and options
const char* flavour_name(Flavour flavour);  // "Open MPI": in messages
std::optional<Flavour> flavour_of_word(std::string_view word);
// "openmpi, mpich, ... or mpiabi"
const std::string& flavour_words();
// Of the launcher that comes with it.
Family usual_family(Flavour flavour);

const char* family_name(Family family);
const char* family_word(Family family);  // "openmpi" as in mpirun.openmpi

// What `LAUNCHER --version` or MPI_Get_library_version says.
struct MpiVersion {
  Family family = Family::openmpi;
  int major = 0;       // 0: it does not say
  std::string number;  // "5.0.11"; empty: it does not say
};
std::optional<MpiVersion> version_of_text(std::string_view text);

// The MPI whose launcher started this process, if one did.
std::optional<Family> family_of_running_launcher(const Environment& environment);
// The rank that launcher gave this process, if it said.
std::optional<int> rank_of_running_launcher(const Environment& environment);

}  // namespace concilio::tools
