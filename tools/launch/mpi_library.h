// The MPI library that a program, a Python module or a library of Concilio loads, and its version.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "launch/flavour.h"
#include "system/environment.h"

namespace concilio::tools {

// Libraries with the same interface have the same handles and constants. For openmpi this holds within one
// major version only, for mpich from MPICH 4 on.
enum class Interface { openmpi, mpich, abi, other };

struct MpiLibrary {
  std::string name;  // its soname: "libmpi.so.40", "libmpich.so.12"
  std::string path;  // empty if the loader does not find it
  Interface interface = Interface::other;
  std::optional<MpiVersion> version;  // what the library says of itself, if it was asked

  // "Open MPI 5.0.11 (/usr/lib/libmpi.so.40)"
  std::string described() const;
};

// Finds the MPI library in the list that the dynamic loader writes, one library a line.
std::optional<MpiLibrary> mpi_library_of_listing(std::string_view listing);

// The path of gcc's runtime for AddressSanitizer in such a list; empty if there is none. Programs that are
// linked with it do not start if another library is loaded first.
std::string address_sanitizer_of_listing(std::string_view listing);

// This list for a program or shared library that needs `interpreter` (the dynamic loader). The loader itself
// says what it would load, with every rule of rpath and LD_LIBRARY_PATH. No code of the file is run.
std::string listing_of_file(const std::string& path, const std::string& interpreter,
                            const Environment& environment);
// The MPI library of a shared library. The loader of this command is asked.
std::optional<MpiLibrary> mpi_library_of_file(const std::string& path, const Environment& environment);

// The MPI library at `path`, which was found already loaded.
std::optional<MpiLibrary> mpi_library_at(const std::string& path);

// Calls the library's own MPI_Get_library_version, in a child process that then ends.
std::optional<MpiVersion> version_of_library(const std::string& path);

// The dynamic loader that an ELF program names. Empty if it names none, as a shared library or a static
// program. None if the file is no ELF file.
std::optional<std::string> interpreter_of(const std::string& path);

}  // namespace concilio::tools
