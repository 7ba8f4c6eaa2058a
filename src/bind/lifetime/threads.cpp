// The beginning of the World Model. Its functions are not entry points of the table, since the MPI's own
// functions are called too.
#include "bind/lifetime/threads.h"

#include <mpi.h>

#include <algorithm>

#include "base/log.h"
#include "base/settings/config.h"
#include "bind/lifetime/lone_worlds.h"
#include "bind/lifetime/report_begins.h"
#include "bind/mpi_library/fits.h"
#include "bind/mpi_library/next.h"
#include "mpi/epoch.h"

namespace concilio::bind {

bool raises_thread_level() {
  return fits() && asked_in_environment(Key::threads);
}

void check_raised_level(bool thread_multiple) {
  if (thread_multiple) return;
  log_once(LogLevel::warning,
           "--threads (CONCILIO_THREADS): this MPI does not provide MPI_THREAD_MULTIPLE, so nonblocking "
           "calls do not proceed by themselves");
}

namespace {

using Init = decltype(&MPI_Init);
using InitThread = decltype(&MPI_Init_thread);

template <typename Function>
Function next(const char* symbol) {
  return reinterpret_cast<Function>(find_next(symbol));
}

void world_begins() {
  mpi::world_has_begun();
  report_begins();
  warn_of_lone_worlds();
}

int init_thread(const char* symbol, int* argc, char*** argv, int required, int* provided) {
  const bool raising = raises_thread_level();
  const auto function = next<InitThread>(symbol);
  if (!function) return MPI_ERR_OTHER;
  const int level = raising ? std::max<int>(required, MPI_THREAD_MULTIPLE) : required;
  const int code = function(argc, argv, level, provided);
  if (code == MPI_SUCCESS) world_begins();
  if (raising && code == MPI_SUCCESS) check_raised_level(*provided >= MPI_THREAD_MULTIPLE);
  return code;
}

int init(const char* symbol, const char* symbol_with_level, int* argc, char*** argv) {
  if (raises_thread_level()) {
    int provided = MPI_THREAD_SINGLE;
    return init_thread(symbol_with_level, argc, argv, MPI_THREAD_SINGLE, &provided);
  }
  const auto function = next<Init>(symbol);
  if (!function) return MPI_ERR_OTHER;
  const int code = function(argc, argv);
  if (code == MPI_SUCCESS) world_begins();
  return code;
}

}  // namespace
}  // namespace concilio::bind

// Each name passes the call on to the same name, so that a profiling library behind this one still sees the
// program's MPI_Init.
#define VISIBLE extern "C" __attribute__((visibility("default")))
#define BOTH_INITS(prefix)                                                                      \
  VISIBLE int prefix##_Init(int* argc, char*** argv) {                                          \
    return concilio::bind::init(#prefix "_Init", #prefix "_Init_thread", argc, argv);           \
  }                                                                                             \
  VISIBLE int prefix##_Init_thread(int* argc, char*** argv, int required, int* provided) {      \
    return concilio::bind::init_thread(#prefix "_Init_thread", argc, argv, required, provided); \
  }

BOTH_INITS(MPI)
BOTH_INITS(PMPI)
