// Turns an Error into what the program receives: an error code, and a call of the file's error handler with
// it.
#pragma once

#include <string_view>

#include "mpiio/file/file.h"

namespace concilio::mpiio {

// Completes the error's message with the names of the MPI function and the file, as the program reads it, and
// logs it. The file counts it as a failed call. Without memory for that, the error has a short message.
Error explain(File& file, const char* function, const Error& error);

// Returns MPI_SUCCESS if the Status is ok.
int raise(File& file, const char* function, const Error& error);
int raise(File& file, const char* function, const Status& status);
// For a file that is closed before its handler is called: the handler receives MPI_FILE_NULL.
int raise_closed(File& file, const char* function, const Status& status);
// For functions that have no file: calls the handler of MPI_FILE_NULL. `comm` holds the processes that made
// the call, if known.
int raise_without_file(std::string_view path, const char* function, const Error& error,
                       MPI_Comm comm = MPI_COMM_NULL);

}  // namespace concilio::mpiio
