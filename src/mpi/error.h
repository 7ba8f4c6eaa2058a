// The text of errors that MPI's own functions return.
#pragma once

#include <string>

#include "base/result.h"

namespace concilio::mpi {

// The text of MPI_Error_string for a code; empty if MPI does not know the code.
std::string mpi_error_text(int code);
// Turns the return code of an MPI call into a Status. The error's text begins with `what`, which names what
// failed.
Status checked_mpi(int code, const char* what);

}  // namespace concilio::mpi
