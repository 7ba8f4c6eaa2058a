// This process's rank in its job, as the launcher tells it: before MPI is initialised nobody else does.
#pragma once

#include <optional>

namespace concilio {

std::optional<int> launcher_rank();

}  // namespace concilio
