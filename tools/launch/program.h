// Finds out what kind of program a file is, and which MPI it will load.
#pragma once

#include <optional>
#include <string>

#include "launch/mpi_library.h"
#include "system/environment.h"
#include "system/process.h"

namespace concilio::tools {

struct Program {
  enum class Kind {
    has_mpi,
    without_mpi,        // it loads shared libraries, none of which is MPI
    statically_linked,  // nothing can be preloaded into it
    starts_others,      // a script, an interpreter or a wrapper: what it runs cannot be known here
  };
  std::string path;
  Kind kind = Kind::without_mpi;
  std::optional<MpiLibrary> mpi;  // if kind is has_mpi
  bool is_python = false;         // Python, or a script that Python runs
  std::string module;             // for Python: the module that loads MPI
  // A library that the program needs in front of all others, or else refuses to run.
  std::string runtime_before_others;

  // "/bin/app is linked with Open MPI 5.0.11 (libmpi.so.40)"
  std::string sentence() const;
};

// Whether programs of this name are often put before the real one, or run code which is not in their own
// file.
bool usually_starts_others(const std::string& name);

// Looks at the file alone.
Program inspect_program(const std::string& path, const Environment& environment);
// Looks at the program words[place] and its arguments, which tell what Python will run. `folder` is where it
// is started; empty: the working folder. Returns none if that word is no executable file.
std::optional<Program> inspect_command(const Words& words, size_t place, const Environment& environment,
                                       const std::string& folder = "");

}  // namespace concilio::tools
