#include "mpiio/errors.h"

#include <map>
#include <mutex>
#include <utility>

#include "base/exceptions.h"
#include "mpi/epoch.h"

namespace concilio::mpiio {
namespace {

// MPI never takes a code back, and has room for some thousands. A program that keeps failing gets only the
// class from then on.
constexpr size_t most_codes = 1024;

struct Codes {
  struct Known {
    std::map<std::pair<int, std::string>, int> codes;
    std::map<int, std::string> messages;
  };
  std::mutex mutex;
  mpi::OfEpoch<Known> known;
};

Codes& codes() {
  static auto* instance = new Codes;
  return *instance;
}

// Returns MPI_SUCCESS if MPI cannot make a code. SMPI takes the text as one that it might change.
int make_code(int error_class, std::string text) {
  int code = MPI_SUCCESS, class_of_code = MPI_SUCCESS;
  if (PMPI_Add_error_code(error_class, &code) != MPI_SUCCESS) return MPI_SUCCESS;
  if (PMPI_Error_class(code, &class_of_code) != MPI_SUCCESS || class_of_code != error_class)
    return MPI_SUCCESS;
  if (PMPI_Add_error_string(code, text.data()) != MPI_SUCCESS) return MPI_SUCCESS;
  return code;
}

}  // namespace

int class_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::none:
      return MPI_SUCCESS;
    case ErrorKind::no_such_file:
      return MPI_ERR_NO_SUCH_FILE;
    case ErrorKind::file_exists:
      return MPI_ERR_FILE_EXISTS;
    case ErrorKind::bad_file:
      return MPI_ERR_BAD_FILE;
    case ErrorKind::access:
      return MPI_ERR_ACCESS;
    case ErrorKind::no_space:
      return MPI_ERR_NO_SPACE;
    case ErrorKind::quota:
      return MPI_ERR_QUOTA;
    case ErrorKind::read_only:
      return MPI_ERR_READ_ONLY;
    case ErrorKind::file_in_use:
      return MPI_ERR_FILE_IN_USE;
    case ErrorKind::io:
      return MPI_ERR_IO;
    case ErrorKind::access_mode:
      return MPI_ERR_AMODE;
    case ErrorKind::argument:
      return MPI_ERR_ARG;
    case ErrorKind::count:
      return MPI_ERR_COUNT;
    case ErrorKind::datatype:
      return MPI_ERR_TYPE;
    case ErrorKind::communicator:
      return MPI_ERR_COMM;
    case ErrorKind::not_same:
      return MPI_ERR_NOT_SAME;
    case ErrorKind::info_value:
      return MPI_ERR_INFO_VALUE;
    case ErrorKind::no_memory:
      return MPI_ERR_NO_MEM;
    case ErrorKind::unsupported:
      return MPI_ERR_UNSUPPORTED_OPERATION;
    case ErrorKind::data_representation:
      return MPI_ERR_UNSUPPORTED_DATAREP;
    case ErrorKind::duplicate_representation:
      return MPI_ERR_DUP_DATAREP;
    case ErrorKind::conversion:
      return MPI_ERR_CONVERSION;
    case ErrorKind::communication:
      return MPI_ERR_INTERN;
    case ErrorKind::rank_lost:
    case ErrorKind::not_yet:
    case ErrorKind::other:
      break;
  }
  return MPI_ERR_OTHER;
}

namespace {

// Whether errors of the class are returned as the class itself. Open MPI's own MPI-IO does so, and its
// callers compare codes with classes. The class alone has the message of its latest error, which is why
// classes that other parts of MPI use too are left out.
bool is_its_own_code([[maybe_unused]] int error_class) {
#ifdef OPEN_MPI
  for (const int of_files : {MPI_ERR_NO_SUCH_FILE, MPI_ERR_FILE_EXISTS, MPI_ERR_BAD_FILE, MPI_ERR_ACCESS,
                             MPI_ERR_NO_SPACE, MPI_ERR_QUOTA, MPI_ERR_READ_ONLY, MPI_ERR_FILE_IN_USE,
                             MPI_ERR_IO, MPI_ERR_AMODE, MPI_ERR_NOT_SAME, MPI_ERR_UNSUPPORTED_OPERATION,
                             MPI_ERR_UNSUPPORTED_DATAREP, MPI_ERR_DUP_DATAREP, MPI_ERR_CONVERSION}) {
    if (error_class == of_files) return true;
  }
#endif
  return false;
}

int code_with_message(int error_class, const Error& error) {
  const std::string text = error.message.substr(0, MPI_MAX_ERROR_STRING - 1);
  Codes& all = codes();
  std::lock_guard lock(all.mutex);
  Codes::Known& known = *all.known;
  if (is_its_own_code(error_class)) {
    known.messages.insert_or_assign(error_class, text);
    return error_class;
  }
  const auto key = std::pair(error_class, text);
  if (auto found = known.codes.find(key); found != known.codes.end()) return found->second;
  if (known.codes.size() >= most_codes) return error_class;
  int code = make_code(error_class, text);
  if (code == MPI_SUCCESS)
    code = error_class;
  else
    known.messages.emplace(code, text);
  known.codes.emplace(key, code);
  return code;
}

}  // namespace

int code_of(const Error& error) {
  const int error_class = class_of(error.kind);
  int code = error_class;
  if (error_class != MPI_SUCCESS && !error.message.empty())
    if_there_is_memory([&] { code = code_with_message(error_class, error); });
  return code;
}

std::optional<std::string> message_of(int code) {
  Codes& all = codes();
  std::lock_guard lock(all.mutex);
  Codes::Known& known = *all.known;
  auto found = known.messages.find(code);
  if (found == known.messages.end()) return std::nullopt;
  return found->second;
}

}  // namespace concilio::mpiio
