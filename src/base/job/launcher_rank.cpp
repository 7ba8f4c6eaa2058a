#include "base/job/launcher_rank.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace concilio {

std::optional<int> launcher_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    const char* value = std::getenv(name);
    if (!value) continue;
    const std::string_view text = value;
    int rank = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
    if (error == std::errc() && end == text.data() + text.size()) return rank;
  }
  return std::nullopt;
}

std::string_view tasks_of_step() {
  for (const char* of_mpirun : {"OMPI_COMM_WORLD_SIZE", "MPI_LOCALNRANKS"}) {
    if (std::getenv(of_mpirun)) return {};
  }
  const char* const tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  const char* const own = std::getenv("SLURM_PROCID");
  if (!tasks || !own || own != std::string_view("0") || tasks == std::string_view("1")) return {};
  return tasks;
}

}  // namespace concilio
