// `concilio run --threads` initialises MPI with MPI_THREAD_MULTIPLE, whatever the program asks for, so that
// Concilio can work in a thread of its own. The program is told the level that MPI then provides.
#pragma once

namespace concilio::bind {

// Whether the user has asked for that.
bool raises_thread_level();
// Warns if MPI does not provide that level all the same.
void check_raised_level(bool thread_multiple);

}  // namespace concilio::bind
