#include "mpi/error.h"
#include "base/exceptions.h"

#include <fmt/format.h>

namespace concilio::mpi {

std::string mpi_error_text(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (PMPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
  return std::string(text, static_cast<size_t>(length));
}

Status checked_mpi(int code, const char* what) {
  if (code == MPI_SUCCESS) return {};
  return error_with(ErrorKind::communication, 0,
                    [&] { return fmt::format("{} failed: {}", what, mpi_error_text(code)); });
}

ErrorsReturned::ErrorsReturned(MPI_Comm comm) : comm_(comm) {
  PMPI_Comm_get_errhandler(comm_, &its_own_);
  PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
}

ErrorsReturned::~ErrorsReturned() {
  PMPI_Comm_set_errhandler(comm_, its_own_);
  PMPI_Errhandler_free(&its_own_);
}

}  // namespace concilio::mpi
