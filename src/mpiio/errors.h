// Errors in MPI's terms. This is the only place where an ErrorKind becomes an MPI error class.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>

#include "base/result.h"
#include "mpiio/api.h"

// Open MPI 5 refers to an object here that Open MPI 4 lacks. A library built for 5 must still load beside 4,
// to say that it does not fit.
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
#pragma weak ompi_mpi_errors_abort
#endif

namespace concilio::mpiio {

int class_of(ErrorKind kind);
// Returns an error code of the error's class whose MPI_Error_string is the message. With Open MPI, the
// classes that only files have are codes themselves, as in its own MPI-IO; their string is then the latest
// message. Otherwise one code is made for each distinct message. MPI never takes a code back, so their number
// is limited; beyond it the plain class is returned, as it is without memory for another code.
int code_of(const Error& error);
// The message of a code that code_of made. The entry point of MPI_Error_string asks for it, because MPICH
// finds no message for codes that were added to its own classes.
std::optional<std::string> message_of(int code);

// The function of a user's error handler, in C, in Fortran or in C++; the others are null.
struct ErrorFunction {
  MPI_File_errhandler_function* c = nullptr;
  FortranErrorFunction* fortran = nullptr;
  void (*cxx)() = nullptr;
  CxxErrorCaller* cxx_caller = nullptr;
};

// The error handler of one file, or of MPI_FILE_NULL: what happens when a call has an error code.
class ErrorHandler {
 public:
  ErrorHandler() = default;  // MPI_ERRORS_RETURN
  // Returns MPI_ERR_ARG if the handler is not one that a file can have.
  static int make(MPI_Errhandler handler, ErrorHandler* result);
  static const ErrorHandler& of_null();  // the handler of MPI_FILE_NULL
  static void set_of_null(const ErrorHandler& handler);

  // Where the code goes that the user's function leaves: the call returns it, it is stored at `place`, or
  // nobody reads it. `asked`: nobody reads it, and the program asks for the handler, which is called even for
  // MPI_SUCCESS.
  struct Result {
    enum class Kind { call, place, nobody, asked } kind = Kind::call;
    int* place = nullptr;
  };
  // For MPI_ERRORS_ARE_FATAL and MPI_ERRORS_ABORT, prints `message` to stderr and ends the program. Otherwise
  // returns the code; a user's function becomes due (api.h) and will receive `handle`. If the handle does not
  // tell which processes are to end, those of `comm` do.
  int call(MPI_File handle, int code, const std::string& message, Result result,
           MPI_Comm comm = MPI_COMM_NULL) const;
  int call(MPI_File handle, int code, const std::string& message) const {
    return call(handle, code, message, Result());
  }
  // Whether MPI's C++ bindings throw an exception when a call has returned an error code.
  bool throws() const;
  // The handle that this was made from. The caller may free it.
  MPI_Errhandler handle() const { return handle_; }

 private:
  enum class Kind { returns, fatal, user } kind_ = Kind::returns;
  MPI_Errhandler handle_ = MPI_ERRORS_RETURN;
  ErrorFunction function_;
};

}  // namespace concilio::mpiio
