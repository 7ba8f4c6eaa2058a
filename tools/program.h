// What kind of program a file is, and which MPI it is linked with.
#pragma once

#include <optional>
#include <string>

#include "environment.h"
#include "flavour.h"

namespace concilio::tools {

struct Program {
  enum class Kind {
    linked_with_mpi,
    without_mpi,        // loads shared libraries, none of them MPI
    statically_linked,  // nothing can be preloaded into it
    starts_others,      // a script, an interpreter or a wrapper: what runs in it cannot be known here
  };
  std::string path;
  Kind kind = Kind::without_mpi;
  std::optional<MpiLibrary> mpi;  // of linked_with_mpi
};

Program inspect_program(const std::string& path, const Environment& environment);

}  // namespace concilio::tools
