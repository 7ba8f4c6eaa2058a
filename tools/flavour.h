// Which MPI: the two families whose programs Concilio can run, and how they are told apart.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "environment.h"

namespace concilio::tools {

enum class Flavour { openmpi, mpich };

const char* flavour_word(Flavour flavour);  // "openmpi": in file names and options
const char* flavour_name(Flavour flavour);  // "Open MPI": in messages
std::optional<Flavour> flavour_of_word(std::string_view word);

// What `LAUNCHER --version` wrote.
std::optional<Flavour> flavour_of_version_text(std::string_view text);

// The MPI library among those that a program loads, e.g. "libmpi.so.40" or "libmpich.so.12".
struct MpiLibrary {
  std::string name;
  std::optional<Flavour> flavour;  // none: an MPI library that Concilio does not serve
};
// `listing`: what the dynamic loader lists, one library a line.
std::optional<MpiLibrary> mpi_library_of_listing(std::string_view listing);

// The MPI whose launcher started this process, if one did.
std::optional<Flavour> flavour_of_running_launcher(const Environment& environment);
// The rank that launcher gave this process, if it said.
std::optional<int> rank_of_running_launcher(const Environment& environment);

}  // namespace concilio::tools
