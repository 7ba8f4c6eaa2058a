#include "bind/mpi_library/next.h"

#include <dlfcn.h>

#include "base/log.h"

namespace concilio::bind {

void* find_next(const char* symbol) {
  void* address = dlsym(RTLD_NEXT, symbol);
  if (!address)
    log(LogLevel::error,
        "the program's MPI library has no {}; is Concilio built for this MPI, and is it loaded before it?",
        symbol);
  return address;
}

}  // namespace concilio::bind
