// The end of MPI: the program's files may still be open. Not an entry point of the table, since the MPI's own
// function is called too, between what is done before and after it.
#include <mpi.h>

#include "bind/next.h"
#include "mpiio/api.h"

namespace concilio::bind {
namespace {

int finalize(const char* symbol) {
  const auto function = reinterpret_cast<decltype(&MPI_Finalize)>(find_next(symbol));
  if (!function) return MPI_ERR_OTHER;
  mpiio::before_finalize();
  const int code = function();
  if (code == MPI_SUCCESS) mpiio::after_finalize();
  return code;
}

}  // namespace
}  // namespace concilio::bind

// Each name goes on to the same name: a profiling library behind ours still sees the program's MPI_Finalize.
#define VISIBLE extern "C" __attribute__((visibility("default")))

VISIBLE int MPI_Finalize() {
  return concilio::bind::finalize("MPI_Finalize");
}
VISIBLE int PMPI_Finalize() {
  return concilio::bind::finalize("PMPI_Finalize");
}
