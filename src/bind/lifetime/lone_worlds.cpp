#include "bind/lifetime/lone_worlds.h"

#include <fmt/format.h>
#include <mpi.h>

#include <cstdlib>
#include <string_view>

#include "base/exceptions.h"
#include "base/log.h"
#include "bind/mpi_library/fits.h"

namespace concilio::bind {

namespace {

// How many tasks a step of srun has, if this process is the first of several; else none. mpirun uses srun
// only to start helpers of its own, and what these start is no task of the step.
std::string_view tasks_beside_this() {
  for (const char* of_mpirun : {"OMPI_COMM_WORLD_SIZE", "MPI_LOCALNRANKS"}) {
    if (std::getenv(of_mpirun)) return {};
  }
  const char* const tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  const char* const own = std::getenv("SLURM_PROCID");
  if (!tasks || !own || own != std::string_view("0") || tasks == std::string_view("1")) return {};
  return tasks;
}

}  // namespace

void warn_of_lone_worlds() {
  const std::string_view tasks = tasks_beside_this();
  int ranks = 0;
  if (tasks.empty() || !fits() || PMPI_Comm_size(MPI_COMM_WORLD, &ranks) != MPI_SUCCESS || ranks != 1) return;
  if_there_is_memory([&] {
    log_once(
        LogLevel::warning,
        fmt::format("srun started {} tasks, and MPI made each of them a program of its own with 1 rank; if "
                    "they are to be ranks of one program, name what this MPI understands: srun "
                    "--mpi=pmi2 for MPICH, srun --mpi=pmix for Open MPI (srun --mpi=list says what is "
                    "there)",
                    tasks));
  });
}

}  // namespace concilio::bind
