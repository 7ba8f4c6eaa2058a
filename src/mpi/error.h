// What MPI itself says of a call of its own that failed.
#pragma once

#include <string>

#include "base/result.h"

namespace concilio {

// MPI_Error_string of a code; empty if MPI knows none.
std::string mpi_error_text(int code);
// The outcome of an MPI call that returned `code`: nothing, or an error that begins with `what` was done.
Status checked_mpi(int code, const char* what);

}  // namespace concilio
