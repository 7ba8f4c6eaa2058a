#include "mpiio/calls/raise.h"

#include <fmt/format.h>

#include "base/exceptions.h"
#include "base/log.h"

namespace concilio::mpiio {
namespace {

Error explain(const char* function, std::string_view path, const Error& error) {
  return error_with(error.kind, error.system_errno, [&] {
    // Adds the file's name if the message does not contain it yet.
    std::string text = error.message.find(path) != std::string::npos
                           ? fmt::format("{}: {}", function, error.message)
                           : fmt::format("{} on {}: {}", function, path, error.message);
    log(LogLevel::info, "{}", text);
    return text;
  });
}

}  // namespace

Error explain(File& file, const char* function, const Error& error) {
  Error full = explain(function, file.path(), error);
  file.recording().add_failure(full.message);
  return full;
}

int raise(File& file, const char* function, const Error& error) {
  Error full = explain(file, function, error);
  return file.handler().call(file.handle(), code_of(full), full.message);
}

int raise(File& file, const char* function, const Status& status) {
  return status ? MPI_SUCCESS : raise(file, function, status.error());
}

int raise_closed(File& file, const char* function, const Status& status) {
  if (status) return MPI_SUCCESS;
  Error full = explain(file, function, status.error());
  return file.handler().call(MPI_FILE_NULL, code_of(full), full.message, {}, file.team().comm());
}

int raise_without_file(std::string_view path, const char* function, const Error& error, MPI_Comm comm) {
  Error full = explain(function, path, error);
  return ErrorHandler::of_null().call(MPI_FILE_NULL, code_of(full), full.message, {}, comm);
}

}  // namespace concilio::mpiio
