// Errors of MPI's own functions: their text, and that they are returned.
#pragma once

#include <mpi.h>

#include <string>

#include "base/result.h"

namespace concilio::mpi {

// The text of MPI_Error_string for a code; empty if MPI does not know the code.
std::string mpi_error_text(int code);
// Turns the return code of an MPI call into a Status. The error's text begins with `what`, which names what
// failed.
Status checked_mpi(int code, const char* what);

// While it exists, errors on a communicator of the program's are returned. Otherwise MPI would call the
// program's error handler for a call that the program has not made, and by default that ends the program.
class ErrorsReturned {
 public:
  explicit ErrorsReturned(MPI_Comm comm);
  ErrorsReturned(const ErrorsReturned&) = delete;
  ErrorsReturned& operator=(const ErrorsReturned&) = delete;
  ~ErrorsReturned();

 private:
  MPI_Comm comm_;
  MPI_Errhandler its_own_ = MPI_ERRHANDLER_NULL;
};

}  // namespace concilio::mpi
