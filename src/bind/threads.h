// `concilio run --threads`: MPI is begun with MPI_THREAD_MULTIPLE, whatever the program asks for, so that
// Concilio can work in a thread of its own. The program is told the level that MPI then gives.
#pragma once

namespace concilio::bind {

// Whether the user wants that.
bool raises_thread_level();
// Says so if MPI does not give that level all the same.
void check_raised_level(bool thread_multiple);

}  // namespace concilio::bind
