// This process's rank in its job, as the launcher gives it in the environment. Before MPI is initialised
// there is no other way to know it.
#pragma once

#include <optional>

namespace concilio {

std::optional<int> launcher_rank();

}  // namespace concilio
