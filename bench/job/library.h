// Concilio's C interface. It is looked up at run time, because the program may also run without Concilio.
#pragma once

#include <concilio/file.h>
#include <mpi.h>

#include <string>
#include <vector>

namespace concilio::bench {

// Empty if the program runs without the library.
std::string concilio_version_loaded();
// The method of this rank's last call; empty if it is unknown.
std::string last_method(MPI_File file);
std::vector<concilio_candidate> last_candidates(MPI_File file);

}  // namespace concilio::bench
