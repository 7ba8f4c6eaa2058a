// Whether the program lets several threads call MPI at once.
#pragma once

namespace concilio {

// MPI_THREAD_MULTIPLE was granted; false before MPI is initialised.
bool has_thread_multiple();

}  // namespace concilio
