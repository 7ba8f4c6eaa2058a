#include "mpiio/raise.h"

#include <fmt/format.h>

#include "base/log.h"

namespace concilio::mpiio {
namespace {

int raise_with(const ErrorHandler& handler, MPI_File handle, const Error& error, const std::string& where) {
  Error full = error;
  full.message = fmt::format("{}: {}", where, error.message);
  log(LogLevel::info, "{}", full.message);
  return handler.call(handle, code_of(full), full.message);
}

// Names the file where the cause's own message does not.
std::string where(const char* function, const std::string& path, const Error& error) {
  if (error.message.find(path) != std::string::npos) return function;
  return fmt::format("{} on {}", function, path);
}

}  // namespace

int raise(File& file, const char* function, const Error& error) {
  return raise_with(file.handler(), file.handle(), error, where(function, file.path(), error));
}

int raise(File& file, const char* function, const Status& status) {
  return status ? MPI_SUCCESS : raise(file, function, status.error());
}

int raise_without_file(const std::string& path, const char* function, const Error& error) {
  return raise_with(ErrorHandler::of_null(), MPI_FILE_NULL, error, where(function, path, error));
}

}  // namespace concilio::mpiio
