// Finds the other parts of Concilio: the library for each MPI, and its benchmark programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/flavour.h"
#include "launch/mpi_library.h"
#include "system/environment.h"
#include "system/process.h"

namespace concilio::tools {

// Finds libconcilio-FLAVOUR.so in $CONCILIO_LIBDIR, or else in lib/concilio beside the folder of this
// executable. Returns an absolute path. The error lists the places where it was looked for.
Result<std::string> find_library(Flavour flavour, const Environment& environment);

// A library of Concilio that is installed.
struct Installed {
  Flavour flavour = Flavour::openmpi;
  std::string path;
  MpiLibrary mpi;  // the MPI that it was built for; its name and path are those of the library that the
                   // loader finds for it, and are empty unless `library_for` returned this

  std::string described() const;  // "openmpi (Open MPI 4.1.4)"
};
std::vector<Installed> installed_libraries(const Environment& environment);

// The library for programs of `mpi`, whose version is asked for. The error says which libraries there are,
// and how to get the one that is missing.
Result<Installed> library_for(const MpiLibrary& mpi, const Environment& environment);
// The library for programs of this family and major version, if nothing more is known of them.
Result<Installed> library_for(const MpiVersion& version, const Environment& environment);

// Finds concilio-bench-FLAVOUR in $CONCILIO_LIBEXECDIR, or else in libexec/concilio beside the folder of this
// executable.
Result<std::string> find_bench_program(Flavour flavour, const Environment& environment);
// Finds concilio-scorpio-bench-FLAVOUR in the same places. It is built for an MPI that has a parallel HDF5.
Result<std::string> find_scorpio_bench_program(Flavour flavour, const Environment& environment);
// Finds concilio-program-NAME in the same places: a program of bench/programs.
Result<std::string> find_measured_program(const std::string& name, const Environment& environment);
// Finds concilio-probe-FLAVOUR in the same places.
Result<std::string> find_probe_program(Flavour flavour, const Environment& environment);
// Finds the benchmark program with the library for SimGrid's SMPI in it, and SimGrid's launcher. The errors
// name what must be installed.
Result<std::string> find_simulated_bench_program(const Environment& environment);
Result<std::string> find_simulator_launcher(const Environment& environment);
// The described machines that come with Concilio: NAME.json in share/concilio/machines beside the folder of
// this executable.
std::optional<std::string> find_machine_file(const std::string& name);
std::vector<std::string> machine_names();  // in order
// Finds the folder concilio/study, which Python runs for `concilio study`, in $CONCILIO_PYTHONDIR, or else in
// lib/concilio/python beside the folder of this executable, or where pip has put it there.
Result<std::string> find_python_package(const Environment& environment);
// The interpreters of Python to try, best first: $CONCILIO_PYTHON alone if it is set. Else the one of this
// command's virtual environment, if it was installed into one, then Debian's, which has Debian's packages,
// and after it the first one in PATH.
Words pythons(const Environment& environment);
// The launcher $CONCILIO_MPIRUN if that is set, else an mpirun beside this executable that says it is of this
// MPI, else the launcher of the MPI that the library was built with, else an mpirun in PATH that says it is
// of this MPI.
Result<std::string> find_launcher(Flavour flavour, const Environment& environment);

}  // namespace concilio::tools
