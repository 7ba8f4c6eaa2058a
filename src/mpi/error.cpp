#include "mpi/error.h"
#include "base/exceptions.h"

#include <fmt/format.h>
#include <mpi.h>

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

}  // namespace concilio::mpi
