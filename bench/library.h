// Concilio's C interface, where the program runs under it: looked up at run time, for it may run without.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace concilio::bench {

// What the library could have done in a call.
struct Candidate {
  std::string method;
  bool legal = false;
  double predicted_seconds = -1;  // negative: unknown
};

// Empty: the program runs without the library.
std::string concilio_version_loaded();
// Of this rank's last call. Empty: unknown.
std::string last_method(MPI_File file);
std::vector<Candidate> last_candidates(MPI_File file);

}  // namespace concilio::bench
