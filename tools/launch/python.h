// Finds out which MPI a Python program will load.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "launch/mpi_library.h"
#include "system/environment.h"
#include "system/process.h"

namespace concilio::tools {

// Recognises Python by the name alone: "python3", "python3.11", "pypy3".
bool is_python_name(std::string_view name);

struct PythonMpi {
  MpiLibrary mpi;
  std::string module;  // the file that loads it
};
// `words` are the interpreter, its options, and what it runs. Asks that interpreter where its mpi4py is and,
// if it has none, its petsc4py, h5py and netCDF4. None of them is imported, and MPI is not initialised.
// Returns none if none of them loads MPI.
std::optional<PythonMpi> mpi_of_python(const Words& words, const Environment& environment);

}  // namespace concilio::tools
