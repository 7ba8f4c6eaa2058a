// The end of the World Model. MPI_Finalize is not an entry point of the table, since the MPI's own function
// is called too.
#include <mpi.h>

#include "bind/lifetime/ends.h"
#include "bind/mpi_library/next.h"

namespace concilio::bind {
namespace {

int finalize(const char* symbol) {
  const auto function = reinterpret_cast<decltype(&MPI_Finalize)>(find_next(symbol));
  return function ? end_of_part(function) : MPI_ERR_OTHER;
}

}  // namespace
}  // namespace concilio::bind

// Each name passes the call on to the same name, so that a profiling library behind this one still sees the
// program's MPI_Finalize.
#define VISIBLE extern "C" __attribute__((visibility("default")))

VISIBLE int MPI_Finalize() {
  return concilio::bind::finalize("MPI_Finalize");
}
VISIBLE int PMPI_Finalize() {
  return concilio::bind::finalize("PMPI_Finalize");
}
