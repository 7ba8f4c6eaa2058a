// The entry points: both names, MPI_x and PMPI_x, of every row of entry_points.def. The compiler checks each
// row against the MPI's own prototype.
#include <mpi.h>

#include <algorithm>
#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "base/log.h"
#include "bind/cxx_errhandler.h"
#include "bind/fortran/fortran_datarep.h"
#include "bind/fortran/integers.h"
#include "bind/mpi_library/fits.h"
#include "bind/mpi_library/next.h"
#include "mpi/types/fortran.h"
#include "mpiio/api.h"
#include "mpiio/errors.h"
#include "mpiio/settings/info_changes.h"
#include "mpiio/transfer/requests.h"

// Some MPIs define these as macros.
#undef MPI_File_c2f
#undef MPI_File_f2c
#undef PMPI_File_c2f
#undef PMPI_File_f2c

#ifdef OPEN_MPI
extern "C" __attribute__((weak)) int mpi_fortran_bottom_;
#endif

namespace concilio::bind {
namespace {

// What an entry point returns if it cannot answer.
template <typename Return>
Return failure() {
  if constexpr (std::is_same_v<Return, int>)
    return MPI_ERR_OTHER;
  else
    return MPI_FILE_NULL;
}

// Whether the current exception came out of the MPI's own function. Then a function of the program's, which
// MPI called, threw it.
thread_local bool programs_own = false;

template <typename Return, typename Function, typename... Args>
Return forward(Function next, Args... args) {
  if (!next) return failure<Return>();
  try {
    return next(args...);
  } catch (...) {
    programs_own = true;
    throw;
  }
}

// No exception of ours may reach the program, and none of the program's own may get lost.
template <typename Return, typename Body>
Return guarded(const char* function, const Body& body) {
  try {
    return body();
  } catch (const std::exception& exception) {
    if (std::exchange(programs_own, false)) throw;
    log(LogLevel::error, "{}: {}", function, exception.what());
    return failure<Return>();
  } catch (...) {  // not ours
    programs_own = false;
    throw;
  }
}

// The program's error handlers are called last, since they may throw or jump out of the call.
template <typename Return, typename Body>
Return answered(const char* function, const Body& body) {
  const size_t due_before = mpiio::handlers_due();
  const auto answer = guarded<Return>(function, body);
  if constexpr (std::is_same_v<Return, int>) {
    if (mpiio::handlers_due() > due_before) return mpiio::call_due_handlers(due_before, answer);
  }
  return answer;
}

int close(MPI_File* handle) {
  return mpiio::close(handle, forget_integer);
}

template <typename Extent>
int get_type_extent(mpiio::File& file, MPI_Datatype type, Extent* extent) {
  MPI_Count count = 0;
  int code = mpiio::get_type_extent(file, type, &count);
  if (code == MPI_SUCCESS) *extent = static_cast<Extent>(count);
  return code;
}

template <typename Function>
int register_datarep(const char* name, Function* read, Function* write, MPI_Datarep_extent_function* extent,
                     void* extra_state) {
  mpi::UserRepresentation wanted{name ? name : "", mpi::UserConversion::of(read),
                                 mpi::UserConversion::of(write), extent, extra_state};
  adapt_to_fortran(wanted);
  return mpiio::register_datarep(wanted);
}

// Records which function a handler calls. Only here are both known.
int create_errhandler(MPI_File_errhandler_function* function, MPI_Errhandler* handler) {
  int code = forward<int>(CONCILIO_NEXT(MPI_File_create_errhandler), function, handler);
  if (code == MPI_SUCCESS) mpiio::record_errhandler(*handler, function);
  return code;
}

// Whether a file can have the handler: it is predefined, or recorded.
bool is_known(MPI_Errhandler handler) {
#ifdef MPI_ERRORS_ABORT
  if (handler == MPI_ERRORS_ABORT) return true;
#endif
#ifdef MPIR_ERRORS_THROW_EXCEPTIONS
  if (handler == MPIR_ERRORS_THROW_EXCEPTIONS) return true;
#endif
  return handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_RETURN ||
         mpiio::is_file_errhandler(handler);
}

// The default handler (that of MPI_FILE_NULL) must be known to the MPI, for its own files, and to Concilio.
int set_errhandler(MPI_File handle, MPI_Errhandler handler) {
  if (handler != MPI_ERRHANDLER_NULL && !is_known(handler)) adopt_cxx_errhandler(handler);
  if (mpiio::File* file = mpiio::find(handle)) return mpiio::set_errhandler(*file, handler);
  int code = forward<int>(CONCILIO_NEXT(MPI_File_set_errhandler), handle, handler);
  if (code == MPI_SUCCESS && handle == MPI_FILE_NULL) code = mpiio::set_default_errhandler(handler);
  return code;
}

// The handler of MPI_FILE_NULL is called here too, since MPICH takes a Fortran handler for a C function.
int call_errhandler(MPI_File handle, int code) {
  if (mpiio::File* file = mpiio::find(handle)) return mpiio::call_errhandler(*file, code);
  if (handle == MPI_FILE_NULL) return mpiio::call_default_errhandler(code);
  return forward<int>(CONCILIO_NEXT(MPI_File_call_errhandler), handle, code);
}

// Open MPI counts references to the predefined handlers too, but not those that our files gave out.
int free_errhandler(MPI_Errhandler* handler) {
  if (!handler || !mpiio::take_back_errhandler(*handler)) {
    return forward<int>(CONCILIO_NEXT(MPI_Errhandler_free), handler);
  }
  *handler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}

// Files remember what hints an info object held.
template <typename Function, typename... Args>
int change_info(Function next, Args... args) {
  const int code = forward<int>(next, args...);
  mpiio::note_info_change();
  return code;
}

// Fortran's MPI_BOTTOM is a common block in Open MPI, which passes its address on to C unchanged in read_at
// and in calls that return early.
void* buffer_of(const void* given) {
#ifdef OPEN_MPI
  if (given && given == &mpi_fortran_bottom_) return MPI_BOTTOM;
#endif
  return const_cast<void*>(given);
}

// As MPI requires, `string` has room for MPI_MAX_ERROR_STRING characters.
int error_string(const std::string& message, char* string, int* length) {
  message.copy(string, message.size());
  string[message.size()] = '\0';
  *length = static_cast<int>(message.size());
  return MPI_SUCCESS;
}

// The MPI's own functions complete our requests. mpiio adds how they ended.
int wait(MPI_Request* request, MPI_Status* status) {
  mpiio::WaitCall call(1, request);
  call.sleep();
  return call.outcome(forward<int>(CONCILIO_NEXT(MPI_Wait), request, status));
}
int wait_all(int count, MPI_Request* requests, MPI_Status* statuses) {
  mpiio::WaitCall call(count, requests);
  call.sleep();
  int code = forward<int>(CONCILIO_NEXT(MPI_Waitall), count, requests, statuses);
  return call.outcome(code, statuses, count, nullptr);
}
// Any of the requests may complete first. As long as one of ours waits for other ranks' calls, the MPI is
// only tested, so that the call does not block in it.
int wait_any(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  mpiio::WaitCall call(count, requests);
  while (call.attempt()) {
    int flag = 0;
    const int code = forward<int>(CONCILIO_NEXT(MPI_Testany), count, requests, index, &flag, status);
    if (flag || code != MPI_SUCCESS) return call.outcome(code);
  }
  return call.outcome(forward<int>(CONCILIO_NEXT(MPI_Waitany), count, requests, index, status));
}
int wait_some(int count, MPI_Request* requests, int* completed, int* indices, MPI_Status* statuses) {
  mpiio::WaitCall call(count, requests);
  while (call.attempt()) {
    const int tested =
        forward<int>(CONCILIO_NEXT(MPI_Testsome), count, requests, completed, indices, statuses);
    if (*completed != 0 || (tested != MPI_SUCCESS && tested != MPI_ERR_IN_STATUS))
      return call.outcome(tested, statuses, std::max(*completed, 0), indices);
  }
  int code = forward<int>(CONCILIO_NEXT(MPI_Waitsome), count, requests, completed, indices, statuses);
  return call.outcome(code, statuses, std::max(*completed, 0), indices);
}
int test(MPI_Request* request, int* flag, MPI_Status* status) {
  mpiio::WaitCall call(1, request);
  call.attempt();
  return call.outcome(forward<int>(CONCILIO_NEXT(MPI_Test), request, flag, status));
}
int test_all(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  mpiio::WaitCall call(count, requests);
  call.attempt();
  int code = forward<int>(CONCILIO_NEXT(MPI_Testall), count, requests, flag, statuses);
  return call.outcome(code, statuses, *flag ? count : 0, nullptr);
}
int test_any(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  mpiio::WaitCall call(count, requests);
  call.attempt();
  return call.outcome(forward<int>(CONCILIO_NEXT(MPI_Testany), count, requests, index, flag, status));
}
int test_some(int count, MPI_Request* requests, int* completed, int* indices, MPI_Status* statuses) {
  mpiio::WaitCall call(count, requests);
  call.attempt();
  int code = forward<int>(CONCILIO_NEXT(MPI_Testsome), count, requests, completed, indices, statuses);
  return call.outcome(code, statuses, std::max(*completed, 0), indices);
}

// The functions that only look at requests, and complete none.
template <typename Function, typename... Args>
int get_status(int count, const MPI_Request* requests, Function next, Args... args) {
  mpiio::WaitCall(count, requests).attempt();
  return forward<int>(next, args...);
}

}  // namespace
}  // namespace concilio::bind

#define HANDLE(given) [[maybe_unused]] auto* file = mpiio::find(given)
#define PATH(path) mpiio::takes_over(path)
#define INTEGER(integer) MPI_File handle = handle_of(integer)
#define CODE(code) auto message = mpiio::message_of(code)
#define ALWAYS true
#define NEVER false

#define INDEPENDENT false
#define COLLECTIVE true
#define CALL(direction, pointer, collective)                                   \
  mpiio::Call {                                                                \
    mpiio::Direction::direction, mpiio::Pointer::pointer, collective, function \
  }
#define DATA(offset) \
  { offset, buffer_of(buf), count, datatype }
#define TRANSFER(direction, pointer, collective, offset) \
  mpiio::transfer(*file, CALL(direction, pointer, collective), DATA(offset), status)
#define INTO(place, ours) ((place) ? (ours) : mpiio::refuse_null(*file, function))
#define START(direction, pointer, collective, offset) \
  INTO(request, mpiio::start(*file, CALL(direction, pointer, collective), DATA(offset), request))
#define BEGIN(direction, pointer, offset) \
  mpiio::begin(*file, CALL(direction, pointer, COLLECTIVE), DATA(offset))
#define END(direction, pointer) mpiio::end(*file, CALL(direction, pointer, COLLECTIVE), status)
#define REQUESTS mpiio::has_requests()

#ifdef SMPI_H
#define DATAREP char*
#else
#define DATAREP const char*
#endif

#define UNPACK(...) __VA_ARGS__
#define VISIBLE __attribute__((visibility("default")))
#define SHIM(return_type, name, parameters, arguments, whose, ours)                  \
  extern "C" VISIBLE return_type name parameters {                                   \
    using namespace concilio;                                                        \
    using namespace concilio::bind;                                                  \
    if (!fits()) return forward<return_type>(CONCILIO_NEXT(name), UNPACK arguments); \
    [[maybe_unused]] constexpr const char* function = #name;                         \
    return answered<return_type>(function, [&]() -> return_type {                    \
      if (whose) return ours;                                                        \
      return forward<return_type>(CONCILIO_NEXT(name), UNPACK arguments);            \
    });                                                                              \
  }                                                                                  \
  extern "C" VISIBLE decltype(name) P##name __attribute__((alias(#name)));

#define ENTRY(return_type, name, parameters, arguments, whose, ours) \
  SHIM(return_type, name, parameters, arguments, whose, ours)
#define COUNTED(name, parameters, arguments, whose, ours) SHIM(int, name, parameters, arguments, whose, ours)
#define COUNT int
#define EXTENT MPI_Aint
#define CONVERSION MPI_Datarep_conversion_function
#include "bind/entry_points.def"
#undef ENTRY
#undef COUNTED
#undef COUNT
#undef EXTENT
#undef CONVERSION

#if MPI_VERSION >= 4
#define ENTRY(return_type, name, parameters, arguments, whose, ours)
#define COUNTED(name, parameters, arguments, whose, ours) \
  SHIM(int, name##_c, parameters, arguments, whose, ours)
#define COUNT MPI_Count
#define EXTENT MPI_Count
#define CONVERSION MPI_Datarep_conversion_function_c
#include "bind/entry_points.def"
#endif
