// Where the other parts of Concilio lie: the library for each MPI, and its benchmark program.
#pragma once

#include <string>

#include "base/result.h"
#include "environment.h"
#include "flavour.h"

namespace concilio::tools {

// libconcilio-FLAVOUR.so: in $CONCILIO_LIBDIR, or in lib/concilio beside the folder of this executable. An
// absolute path; the error lists where it was looked for.
Result<std::string> find_library(Flavour flavour, const Environment& environment);
// concilio-bench-FLAVOUR: in $CONCILIO_LIBEXECDIR, or in libexec/concilio beside the folder of this
// executable.
Result<std::string> find_bench_program(Flavour flavour, const Environment& environment);
// The launcher that belongs to the MPI this was built with; $CONCILIO_MPIRUN where set.
Result<std::string> find_launcher(Flavour flavour, const Environment& environment);

}  // namespace concilio::tools
