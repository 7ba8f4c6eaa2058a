// The C interface: the functions of concilio.h and file.h.
#include <algorithm>
#include <exception>
#include <string_view>

#include "base/log.h"
#include "bind/fortran/integers.h"
#include "concilio/file.h"
#include "mpiio/api.h"
#include "mpiio/calls/control.h"

namespace concilio::bind {
namespace {

int code_of(const Status& status) {
  if (status) return CONCILIO_SUCCESS;
  switch (status.error().kind) {
    case ErrorKind::argument:
      return CONCILIO_ERR_ARG;
    case ErrorKind::not_same:
      return CONCILIO_ERR_NOT_SAME;
    case ErrorKind::unsupported:
      return CONCILIO_ERR_FIXED;
    case ErrorKind::datatype:
      return CONCILIO_ERR_REALMS;
    default:
      return CONCILIO_ERR_OTHER;
  }
}

// No exception may reach a C program.
template <typename Body>
int with_file(MPI_File handle, const char* function, const Body& body) noexcept {
  try {
    mpiio::File* file = mpiio::find(handle);
    return file ? body(*file) : CONCILIO_ERR_FILE;
  } catch (const std::exception& exception) {
    log(LogLevel::error, "{}: {}", function, exception.what());
    return CONCILIO_ERR_OTHER;
  }
}

void copy_cut(std::string_view text, char* to, size_t bytes) {
  if (!to || bytes == 0) return;
  to[text.copy(to, bytes - 1)] = '\0';
}

void give(int64_t* to, int64_t value) {
  if (to) *to = value;
}

}  // namespace
}  // namespace concilio::bind

using namespace concilio;
using namespace concilio::bind;

const char* concilio_version(void) {
  return CONCILIO_VERSION;
}

const char* concilio_error_text(int code) {
  switch (code) {
    case CONCILIO_SUCCESS:
      return "success";
    case CONCILIO_ERR_FILE:
      return "not an open file of Concilio";
    case CONCILIO_ERR_ARG:
      return "an argument is NULL, or names nothing that exists";
    case CONCILIO_ERR_NOT_SAME:
      return "the ranks gave different arguments";
    case CONCILIO_ERR_FIXED:
      return "the user's environment, or a hint, has a setting that the program cannot change";
    case CONCILIO_ERR_REALMS:
      return "the realms do not own every byte of the file exactly once, or there are too many";
    case CONCILIO_ERR_OTHER:
      return "an internal error; the message is on stderr";
    default:
      return "not an error code of Concilio";
  }
}

const char* concilio_counter_name(int index) {
  return index >= 0 && index < counter_count ? counter_name(static_cast<Counter>(index)) : nullptr;
}

int concilio_file_counter(MPI_File file, const char* name, int64_t* value) {
  return with_file(file, __func__, [&](mpiio::File& own) -> int {
    if (!name || !value) return CONCILIO_ERR_ARG;
    for (int i = 0; i < counter_count; ++i) {
      if (std::string_view(name) != concilio_counter_name(i)) continue;
      *value = mpiio::counter_of(own, static_cast<Counter>(i));
      return CONCILIO_SUCCESS;
    }
    return CONCILIO_ERR_ARG;
  });
}

int concilio_file_last_call(MPI_File file, const char** method, char* reason, size_t reason_bytes) {
  return with_file(file, __func__, [&](mpiio::File& own) -> int {
    const mpiio::LastCall last = mpiio::last_call(own);
    if (method) *method = last.method;
    copy_cut(last.reason, reason, reason_bytes);
    return CONCILIO_SUCCESS;
  });
}

int concilio_file_last_candidate(MPI_File file, int index, concilio_candidate* candidate) {
  return with_file(file, __func__, [&](mpiio::File& own) -> int {
    const auto one = mpiio::last_candidate(own, index);
    if (!candidate || !one) return CONCILIO_ERR_ARG;
    *candidate = {method_name(one->method), one->legal, one->chosen, one->legal ? one->predicted_seconds : -1,
                  one->calls > 0 ? one->measured_seconds : -1};
    return CONCILIO_SUCCESS;
  });
}

int concilio_file_memory(MPI_File file, int64_t* limit_bytes, int64_t* current_bytes,
                         int64_t* high_water_bytes) {
  return with_file(file, __func__, [&](mpiio::File& own) -> int {
    const mpiio::MemoryUse use = mpiio::memory_use(own);
    give(limit_bytes, use.limit_bytes);
    give(current_bytes, use.current_bytes);
    give(high_water_bytes, use.high_water_bytes);
    return CONCILIO_SUCCESS;
  });
}

int concilio_file_set_method(MPI_File file, const char* method) {
  return with_file(file, __func__,
                   [&](mpiio::File& own) -> int { return code_of(mpiio::set_method(own, method)); });
}

int concilio_file_set_realms(MPI_File file, int count, const MPI_Datatype types[],
                             const MPI_Offset displacements[]) {
  return with_file(file, __func__, [&](mpiio::File& own) -> int {
    return code_of(mpiio::set_realms(own, {count, types, displacements}));
  });
}

int concilio_file_error_message(MPI_File file, char* text, size_t text_bytes) {
  return with_file(file, __func__, [&](mpiio::File& own) -> int {
    copy_cut(mpiio::error_message(own), text, text_bytes);
    return CONCILIO_SUCCESS;
  });
}

MPI_File concilio_file_f2c(int file) {
  try {
    MPI_File handle = handle_of(file);
    return handle ? handle : MPI_FILE_NULL;
  } catch (const std::exception& exception) {
    log(LogLevel::error, "{}: {}", __func__, exception.what());
    return MPI_FILE_NULL;
  }
}
