// The end of MPI or of a session, by MPI_Finalize or MPI_Session_finalize. The program's files may still be
// open then.
#pragma once

#include "base/function_ref.h"
#include "bind/fortran/integers.h"
#include "mpiio/api.h"

namespace concilio::bind {

// `finalize` calls the MPI's own function and returns its code.
inline int end_of_part(FunctionRef<int()> finalize) {
  mpiio::before_end();
  const int code = finalize();
  mpiio::after_end(forget_integer);
  return code;
}

}  // namespace concilio::bind
