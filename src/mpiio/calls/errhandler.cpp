#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <vector>

#include "mpi/epoch.h"
#include "mpi/error.h"
#include "mpi/types/fortran.h"
#include "mpiio/api.h"
#include "mpiio/errors.h"
#include "mpiio/file/file.h"

namespace concilio::mpiio {
namespace {

// The functions behind the handles that MPI_File_create_errhandler made. MPI must never really free these
// handles: Concilio's files refer to them, and MPI does not count the references of Concilio's files.
// Predefined handles are MPI's own: how often Concilio's files have given out each, which MPI has not
// counted.
struct Handlers {
  std::mutex mutex;
  mpi::OfEpoch<std::map<MPI_Errhandler, ErrorFunction>> functions;
  mpi::OfEpoch<std::map<MPI_Errhandler, int64_t>> given_out;
};

Handlers& handlers() {
  static auto* instance = new Handlers;
  return *instance;
}

// The default handler that the program set, and the epoch that it is valid for.
struct Default {
  uint64_t epoch = 0;
  ErrorHandler handler;
};

// Earlier default handlers are never destroyed, because a file that is being opened may still use one. There
// are only ever few of them.
std::atomic<const Default*>& default_handler() {
  static std::atomic<const Default*> current{nullptr};
  return current;
}

// Whether all processes of `comm` are in MPI_COMM_WORLD too. Others are in the job after MPI_Comm_spawn.
bool is_within_world(MPI_Comm comm) {
  MPI_Group own, world, outside;
  PMPI_Comm_group(comm, &own);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_difference(own, world, &outside);
  int count = 0;
  PMPI_Group_size(outside, &count);
  return count == 0;  // the groups are not freed, as the program ends
}

// Ends the processes of `comm`; all of MPI_COMM_WORLD if they are within it and `all` is set. Of sessions, no
// process knows all others.
[[noreturn]] void end_program(MPI_Comm comm, bool all, int code, const std::string& message) {
  fmt::print(stderr, "concilio: rank {}: {}\n", mpi::rank_in_job(), message);
  std::fflush(stderr);
  if (mpi::world_runs() && (comm == MPI_COMM_NULL || (all && is_within_world(comm)))) comm = MPI_COMM_WORLD;
  if (comm != MPI_COMM_NULL) PMPI_Abort(comm, code);
  // MPI_Abort does not return. If it was not called, the launcher ends the other processes.
  std::_Exit(EXIT_FAILURE);
}

void record(MPI_Errhandler handler, const ErrorFunction& function) {
  Handlers& known = handlers();
  std::lock_guard lock(known.mutex);
  (*known.functions)[handler] = function;
}

// A user's function that is called at the end of the call that it belongs to.
struct Due {
  ErrorFunction function;
  MPI_File handle;
  int code;
  ErrorHandler::Result result;
};

// The functions that are due on this thread. MPI calls made by a handler add theirs behind those of the call
// that the handler belongs to. Entries that a longjmp skipped stay, in front of all that are looked at later.
// The vector is made when a handler is first due. It stays when its thread ends, because nothing of Concilio
// may be destroyed while the program may still call MPI.
thread_local std::vector<Due>* all_due = nullptr;

std::vector<Due>& due() {
  if (!all_due) all_due = new std::vector<Due>;
  return *all_due;
}

// Returns the code that the function leaves. What the function does to the handle has no effect.
int call_function(const ErrorFunction& function, MPI_File handle, int code) {
  if (function.cxx_caller) {
    function.cxx_caller(1, reinterpret_cast<int*>(&handle), &code, function.cxx);
    return code;
  }
  if (!function.fortran) {
    function.c(&handle, &code);
    return code;
  }
#ifdef CONCILIO_MPI_HAS_FORTRAN_HANDLES
  int integer = PMPI_File_c2f(handle);
#else
  int integer = PMPI_File_toint(handle);
#endif
  function.fortran(&integer, &code);
  return code;
}

}  // namespace

size_t handlers_due() {
  return all_due ? all_due->size() : 0;
}

int call_due_handlers(size_t due_before, int code) {
  while (handlers_due() > due_before) {
    const Due next = due()[due_before];
    due().erase(due().begin() + static_cast<std::ptrdiff_t>(due_before));
    const int left = call_function(next.function, next.handle, next.code);
    if (next.result.kind == ErrorHandler::Result::Kind::call) code = left;
    if (next.result.kind == ErrorHandler::Result::Kind::place) *next.result.place = left;
  }
  return code;
}

int ErrorHandler::make(MPI_Errhandler handler, ErrorHandler* result) {
  ErrorHandler made;
  bool ends_program = handler == MPI_ERRORS_ARE_FATAL;
#ifdef MPI_ERRORS_ABORT
  ends_program = ends_program || handler == MPI_ERRORS_ABORT;
#endif
  made.handle_ = handler;
  if (ends_program) {
    made.kind_ = Kind::fatal;
  } else if (handler != MPI_ERRORS_RETURN && !made.throws()) {
    Handlers& known = handlers();
    std::lock_guard lock(known.mutex);
    auto found = known.functions->find(handler);
    if (found == known.functions->end()) return MPI_ERR_ARG;
    made.kind_ = Kind::user;
    made.function_ = found->second;
  }
  *result = made;
  return MPI_SUCCESS;
}

bool ErrorHandler::throws() const {
#ifdef MPIR_ERRORS_THROW_EXCEPTIONS  // of MPICH
  return handle_ == MPIR_ERRORS_THROW_EXCEPTIONS;
#else
  return false;
#endif
}

const ErrorHandler& ErrorHandler::of_null() {
  static const ErrorHandler start;
  const Default* set = default_handler().load();
  return set && set->epoch == mpi::epoch() ? set->handler : start;
}

void ErrorHandler::set_of_null(const ErrorHandler& handler) {
  default_handler().store(new Default{mpi::epoch(), handler});
}

int ErrorHandler::call(MPI_File handle, int code, const std::string& message, Result result,
                       MPI_Comm comm) const {
  if (code == MPI_SUCCESS && result.kind != Result::Kind::asked) return code;
  switch (kind_) {
    case Kind::returns:
      break;
    case Kind::fatal:
      if (File* file = find(handle)) comm = file->team().comm();
      end_program(comm, handle_ == MPI_ERRORS_ARE_FATAL, code, message);
    case Kind::user:
      due().push_back({function_, handle, code, result});
      break;
  }
  return code;
}

void record_errhandler(MPI_Errhandler handler, MPI_File_errhandler_function* function) {
  record(handler, {.c = function});
}

void record_errhandler(MPI_Errhandler handler, FortranErrorFunction* function) {
  record(handler, {.fortran = function});
}

void record_errhandler(MPI_Errhandler handler, void (*function)(), CxxErrorCaller* caller) {
  record(handler, {.cxx = function, .cxx_caller = caller});
}

void record_cxx_caller(MPI_Errhandler handler, CxxErrorCaller* caller) {
  Handlers& known = handlers();
  std::lock_guard lock(known.mutex);
  auto found = known.functions->find(handler);
  if (found == known.functions->end()) return;
  found->second = {.cxx = reinterpret_cast<void (*)()>(found->second.c), .cxx_caller = caller};
}

bool is_file_errhandler(MPI_Errhandler handler) {
  Handlers& known = handlers();
  std::lock_guard lock(known.mutex);
  return known.functions->contains(handler);
}

int set_errhandler(File& file, MPI_Errhandler handler) {
  ErrorHandler made;
  if (ErrorHandler::make(handler, &made) != MPI_SUCCESS) {
    Error error{ErrorKind::argument, 0, "MPI_File_set_errhandler: not a file's error handler"};
    return file.handler().call(file.handle(), code_of(error), error.message);
  }
  file.set_handler(made);
  return MPI_SUCCESS;
}

int get_errhandler(File& file, MPI_Errhandler* handler) {
  *handler = file.handler().handle();
  Handlers& known = handlers();
  std::lock_guard lock(known.mutex);
  if (!known.functions->contains(*handler)) ++(*known.given_out)[*handler];
  return MPI_SUCCESS;
}

bool take_back_errhandler(MPI_Errhandler handler) {
  Handlers& known = handlers();
  std::lock_guard lock(known.mutex);
  if (known.functions->contains(handler)) return true;
  const auto found = known.given_out->find(handler);
  if (found == known.given_out->end() || found->second == 0) return false;
  --found->second;
  return true;
}

namespace {
int call(const ErrorHandler& handler, MPI_File handle, int code) {
  handler.call(handle, code, mpi::mpi_error_text(code), {ErrorHandler::Result::Kind::asked});
  return handler.throws() ? code : MPI_SUCCESS;
}
}  // namespace

int call_errhandler(File& file, int code) {
  return call(file.handler(), file.handle(), code);
}

int call_default_errhandler(int code) {
  return call(ErrorHandler::of_null(), MPI_FILE_NULL, code);
}

int set_default_errhandler(MPI_Errhandler handler) {
  ErrorHandler made;
  if (int code = ErrorHandler::make(handler, &made); code != MPI_SUCCESS) return code;
  ErrorHandler::set_of_null(made);
  return MPI_SUCCESS;
}

}  // namespace concilio::mpiio
