// Which MPI a Python program will load.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "launch/mpi_library.h"
#include "system/environment.h"
#include "system/process.h"

namespace concilio::tools {

// "python3", "python3.11", "pypy3", by the name alone.
bool is_python_name(std::string_view name);

struct PythonMpi {
  MpiLibrary mpi;
  std::string module;  // the file that loads it
};
// `words`: the interpreter, its options, and what it runs. Asks that interpreter where its mpi4py is, and if
// it has none, its petsc4py, h5py and netCDF4; none of them is imported, and MPI is not initialised. none:
// nothing there has MPI.
std::optional<PythonMpi> mpi_of_python(const Words& words, const Environment& environment);

}  // namespace concilio::tools
