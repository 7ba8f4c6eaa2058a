// This process's rank in its job, as the launcher gives it in the environment. Before MPI is initialised
// there is no other way to know it.
#pragma once

#include <optional>
#include <string_view>

namespace concilio {

std::optional<int> launcher_rank();

// How many tasks a step of srun has, if this process is the first of several; else an empty text. mpirun uses
// srun only to start helpers of its own, and what these start is no task of the step.
std::string_view tasks_of_step();

}  // namespace concilio
