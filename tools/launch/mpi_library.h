// An MPI library: the one that a program, a Python module or a library of Concilio loads, and its version.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "launch/flavour.h"
#include "system/environment.h"

namespace concilio::tools {

// Handles and constants are the same within one of these; openmpi and mpich also within one major version
// only.
enum class Interface { openmpi, mpich, abi, other };

struct MpiLibrary {
  std::string name;  // its soname: "libmpi.so.40", "libmpich.so.12"
  std::string path;  // empty: the loader does not find it
  Interface interface = Interface::other;
  std::optional<MpiVersion> version;  // what it says itself, where it was asked

  // "Open MPI 5.0.11 (/usr/lib/libmpi.so.40)"
  std::string described() const;
};

// The MPI library among what the dynamic loader lists, one library a line.
std::optional<MpiLibrary> mpi_library_of_listing(std::string_view listing);

// The same for a program or shared library that needs `interpreter` (the dynamic loader), which itself says
// what it would load, with every rule of rpath and LD_LIBRARY_PATH; nothing of the file is run.
std::optional<MpiLibrary> mpi_library_of_file(const std::string& path, const std::string& interpreter,
                                              const Environment& environment);
// For a shared library: the loader of this command is its loader.
std::optional<MpiLibrary> mpi_library_of_file(const std::string& path, const Environment& environment);

// One that was found already loaded, in `path`.
std::optional<MpiLibrary> mpi_library_at(const std::string& path);

// Asks the library's own MPI_Get_library_version, in a process that then ends.
std::optional<MpiVersion> version_of_library(const std::string& path);

// The dynamic loader that an ELF program asks for; empty: none, as in a shared library or a static program.
// none: no ELF file.
std::optional<std::string> interpreter_of(const std::string& path);

}  // namespace concilio::tools
