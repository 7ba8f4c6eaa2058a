// Errors as MPI sees them: the only place where an ErrorKind becomes an MPI error class.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>

#include "base/result.h"
#include "mpiio/api.h"

// An object of Open MPI 5 that 4 lacks: a library for 5 must load beside 4, to say that it does not fit.
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
#pragma weak ompi_mpi_errors_abort
#endif

namespace concilio::mpiio {

int class_of(ErrorKind kind);
// An error code of that class whose MPI_Error_string is the message. Codes are made once per distinct
// message, and a bounded number of them (then the plain class serves), since MPI never takes one back.
int code_of(const Error& error);
// The message of a code that code_of made. The entry point of MPI_Error_string asks, since MPICH finds no
// message for codes added to its own classes.
std::optional<std::string> message_of(int code);

// A user's function: one of the two.
struct ErrorFunction {
  MPI_File_errhandler_function* c = nullptr;
  FortranErrorFunction* fortran = nullptr;
};

// The handler of one file, or of MPI_FILE_NULL: what happens with an error code.
class ErrorHandler {
 public:
  ErrorHandler() = default;  // MPI_ERRORS_RETURN
  // MPI_ERR_ARG if the handler is none that a file can have.
  static int make(MPI_Errhandler handler, ErrorHandler* result);
  static const ErrorHandler& of_null();  // MPI_FILE_NULL's
  static void set_of_null(const ErrorHandler& handler);

  // What becomes of the code that the handler leaves: the call returns it, it goes to `place`, or nobody
  // reads it.
  struct Result {
    enum class Kind { call, place, nobody } kind = Kind::call;
    int* place = nullptr;
  };
  // Ends the program for MPI_ERRORS_ARE_FATAL and MPI_ERRORS_ABORT, with `message` on stderr; else returns
  // the code. A user's function is due then (api.h), and will be given `handle`. comm: of the processes that
  // are to end, where the handle does not tell.
  int call(MPI_File handle, int code, const std::string& message, Result result,
           MPI_Comm comm = MPI_COMM_NULL) const;
  int call(MPI_File handle, int code, const std::string& message) const {
    return call(handle, code, message, Result());
  }
  // The handle it was made from. The caller may free it.
  MPI_Errhandler handle() const { return handle_; }

 private:
  enum class Kind { returns, fatal, user } kind_ = Kind::returns;
  MPI_Errhandler handle_ = MPI_ERRORS_RETURN;
  ErrorFunction function_;
};

}  // namespace concilio::mpiio
