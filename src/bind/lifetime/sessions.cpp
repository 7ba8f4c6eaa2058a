// Sessions begin and end MPI as MPI_Init and MPI_Finalize do. Their functions are not entry points of the
// table, since the MPI's own functions are called too.
#include "mpi/epoch.h"

#ifdef CONCILIO_MPI_HAS_SESSIONS

// Open MPI 5 defines MPI_SESSION_NULL by this symbol, which Open MPI 4 lacks. It is weak, since a library for
// 5 must load beside 4 to say that it does not fit.
#ifdef OMPI_MAJOR_VERSION
#pragma weak ompi_mpi_instance_null
#endif

// MPIs of version 3.1 have no sessions.
#pragma weak PMPI_Session_get_info

#include <string_view>

#include "bind/lifetime/ends.h"
#include "bind/lifetime/report_begins.h"
#include "bind/lifetime/threads.h"
#include "bind/mpi_library/next.h"

namespace concilio::bind {
namespace {

constexpr char level_key[] = "thread_level", thread_multiple[] = "MPI_THREAD_MULTIPLE";

// MPICH 4.0 says of every session that it has this level. But a process takes locks there only if the part of
// MPI that began first has it, and MPI_Query_thread tells the level of that.
bool may_have_threads() {
#ifdef MPICH_VERSION
  int level = MPI_THREAD_SINGLE;
  return PMPI_Query_thread(&level) == MPI_SUCCESS && level == MPI_THREAD_MULTIPLE;
#else
  return true;
#endif
}

bool has_threads(MPI_Session session) {
  if (!may_have_threads()) return false;
  MPI_Info info = MPI_INFO_NULL;
  if (PMPI_Session_get_info(session, &info) != MPI_SUCCESS) return false;
  char level[MPI_MAX_INFO_VAL + 1] = "";
  int found = 0;
  PMPI_Info_get(info, level_key, MPI_MAX_INFO_VAL, level, &found);
  PMPI_Info_free(&info);
  return found && std::string_view(level) == thread_multiple;
}

// Returns a copy of `info` that asks for threads. The caller frees it. MPI_INFO_NULL: it could not be made.
MPI_Info with_threads(MPI_Info info) {
  MPI_Info raised = MPI_INFO_NULL;
  const int code = info == MPI_INFO_NULL ? PMPI_Info_create(&raised) : PMPI_Info_dup(info, &raised);
  if (code == MPI_SUCCESS) PMPI_Info_set(raised, level_key, thread_multiple);
  return raised;
}

int init(const char* symbol, MPI_Info info, MPI_Errhandler handler, MPI_Session* session) {
  const auto function = reinterpret_cast<decltype(&MPI_Session_init)>(find_next(symbol));
  if (!function) return MPI_ERR_OTHER;
  MPI_Info raised = raises_thread_level() ? with_threads(info) : MPI_INFO_NULL;
  const int code = function(raised == MPI_INFO_NULL ? info : raised, handler, session);
  if (code == MPI_SUCCESS) {
    const bool threads = has_threads(*session);
    mpi::session_has_begun(threads);
    report_begins();
    if (raised != MPI_INFO_NULL) check_raised_level(threads);
  }
  if (raised != MPI_INFO_NULL) PMPI_Info_free(&raised);
  return code;
}

int finalize(const char* symbol, MPI_Session* session) {
  const auto function = reinterpret_cast<decltype(&MPI_Session_finalize)>(find_next(symbol));
  if (!function) return MPI_ERR_OTHER;
  if (!session || *session == MPI_SESSION_NULL) return function(session);
  const bool threads = has_threads(*session);
  return end_of_part([&] {
    const int code = function(session);
    if (code == MPI_SUCCESS) mpi::session_has_ended(threads);
    return code;
  });
}

}  // namespace
}  // namespace concilio::bind

// Each name passes the call on to the same name, as in finalize.cpp.
#define VISIBLE extern "C" __attribute__((visibility("default")))
#define BOTH_ENDS(prefix)                                                                             \
  VISIBLE int prefix##_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) { \
    return concilio::bind::init(#prefix "_Session_init", info, errhandler, session);                  \
  }                                                                                                   \
  VISIBLE int prefix##_Session_finalize(MPI_Session* session) {                                       \
    return concilio::bind::finalize(#prefix "_Session_finalize", session);                            \
  }

BOTH_ENDS(MPI)
BOTH_ENDS(PMPI)

#endif  // CONCILIO_MPI_HAS_SESSIONS
