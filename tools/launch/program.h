// What kind of program a file is, and which MPI it will load.
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
    without_mpi,        // loads shared libraries, none of them MPI
    statically_linked,  // nothing can be preloaded into it
    starts_others,      // a script, an interpreter or a wrapper: what runs in it cannot be known here
  };
  std::string path;
  Kind kind = Kind::without_mpi;
  std::optional<MpiLibrary> mpi;  // of has_mpi
  bool is_python = false;         // or a script that begins with it
  std::string module;             // of Python: the one that loads MPI

  // "/bin/app is linked with Open MPI 5.0.11 (libmpi.so.40)"
  std::string sentence() const;
};

// The file alone.
Program inspect_program(const std::string& path, const Environment& environment);
// The program at words[place], with the arguments behind it, which tell what Python will run. none: that word
// is no executable file.
std::optional<Program> inspect_command(const Words& words, size_t place, const Environment& environment);

}  // namespace concilio::tools
