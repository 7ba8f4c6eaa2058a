#include "bind/lifetime/lone_worlds.h"

#include <fmt/format.h>
#include <mpi.h>

#include <string_view>

#include "base/exceptions.h"
#include "base/job/launcher_rank.h"
#include "base/log.h"
#include "bind/mpi_library/fits.h"

namespace concilio::bind {

void warn_of_lone_worlds() {
  const std::string_view tasks = tasks_of_step();
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
