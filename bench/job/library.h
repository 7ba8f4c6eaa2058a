// Concilio's C interface, where the program runs under it: looked up at run time, for it may run without.
#pragma once

#include <concilio/file.h>
#include <mpi.h>

#include <string>
#include <vector>

namespace concilio::bench {

// Empty: the program runs without the library.
std::string concilio_version_loaded();
// Of this rank's last call. Empty: unknown.
std::string last_method(MPI_File file);
std::vector<concilio_candidate> last_candidates(MPI_File file);

}  // namespace concilio::bench
