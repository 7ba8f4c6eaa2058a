// Where the other parts of Concilio lie: the library for each MPI, and its benchmark program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/flavour.h"
#include "launch/mpi_library.h"
#include "system/environment.h"

namespace concilio::tools {

// libconcilio-FLAVOUR.so: in $CONCILIO_LIBDIR, or in lib/concilio beside the folder of this executable. An
// absolute path; the error lists where it was looked for.
Result<std::string> find_library(Flavour flavour, const Environment& environment);

// A library of Concilio that is there.
struct Installed {
  Flavour flavour = Flavour::openmpi;
  std::string path;
  MpiLibrary
      mpi;  // what it is linked with, where the loader finds that; its version is what it was built for

  std::string described() const;  // "openmpi (Open MPI 4.1.4)"
};
std::vector<Installed> installed_libraries(const Environment& environment);

// The library for programs of `mpi` (whose version is asked for). The error says what there is, and how to
// get the one that is missing.
Result<Installed> library_for(const MpiLibrary& mpi, const Environment& environment);
// The library for programs of this family and major version, where nothing more is known of them.
Result<Installed> library_for(const MpiVersion& version, const Environment& environment);

// concilio-bench-FLAVOUR: in $CONCILIO_LIBEXECDIR, or in libexec/concilio beside the folder of this
// executable.
Result<std::string> find_bench_program(Flavour flavour, const Environment& environment);
// concilio-scorpio-bench-FLAVOUR, in the same places; it is built for an MPI that has a parallel HDF5.
Result<std::string> find_scorpio_bench_program(Flavour flavour, const Environment& environment);
// concilio-probe-FLAVOUR, in the same places.
Result<std::string> find_probe_program(Flavour flavour, const Environment& environment);
// What Python runs for `concilio study`, the folder concilio/study: in $CONCILIO_PYTHONDIR, or in
// lib/concilio/python beside the folder of this executable.
Result<std::string> find_python_package(const Environment& environment);
// The launcher that belongs to the MPI this was built with; $CONCILIO_MPIRUN where set.
Result<std::string> find_launcher(Flavour flavour, const Environment& environment);

}  // namespace concilio::tools
