// From an Error to what the program gets: an error code, which the file's error handler is to be called with.
#pragma once

#include <string>

#include "mpiio/file.h"

namespace concilio::mpiio {

// The error as the program gets to read it: with the MPI function's and the file's name. Logged.
Error explain(const File& file, const char* function, const Error& error);

// MPI_SUCCESS for a Status that is ok.
int raise(File& file, const char* function, const Error& error);
int raise(File& file, const char* function, const Status& status);
// For a file that is closed by the time its handler is called: that gets MPI_FILE_NULL.
int raise_closed(File& file, const char* function, const Status& status);
// For functions that have no file: MPI_FILE_NULL's handler is called. comm: of the processes that called, if
// known.
int raise_without_file(const std::string& path, const char* function, const Error& error,
                       MPI_Comm comm = MPI_COMM_NULL);

}  // namespace concilio::mpiio
