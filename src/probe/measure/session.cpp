#include "probe/measure/session.h"

#include <time.h>

#include <algorithm>

#include "mpi/nodes/agree.h"

namespace concilio::probe {

namespace {

constexpr Step all_steps[] = {
    {"making a file", 0.06, true, make_file},
    {"requests", 0.30, false, measure_requests},
    {"operations", 0.10, false, measure_operations},
    {"windows", 0.06, false, measure_windows},
    {"clients", 0.18, true, measure_clients},
    {"groups of aggregators", 0.06, true, measure_groups},
    {"memory", 0.04, false, measure_memory},
    {"mappings", 0.03, false, measure_mapping},
    {"synchronisation", 0.04, true, measure_synchronise},
    {"exchange", 0.03, true, measure_exchange},
    // This step comes last, because it takes the file out of the page cache.
    {"direct requests", 0.10, false, measure_direct},
};

}  // namespace

std::span<const Step> steps() {
  return all_steps;
}

Batch requests_at(int64_t places, Operation operation, Session& session) {
  if (operation == Operation::write || !session.forgets_pages) return {};
  return {.most = std::max<int64_t>(places, 1),
          .before = [&session] { return session.file->refresh(0, session.file_bytes); }};
}

void wait_for_all(mpi::Team& team) {
  team.node_barrier();
  if (team.nodes().size() == 1) return;
  if (team.local_rank() == 0) {
    MPI_Request request;
    PMPI_Ibarrier(team.leaders(), &request);
    for (int done = 0; !done;) {
      PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
      const timespec pause{0, 200'000};
      if (!done) nanosleep(&pause, nullptr);
    }
  }
  team.node_barrier();
}

Status agree_at_rest(mpi::Team& team, const Status& status) {
  wait_for_all(team);
  return agree(team, status);
}

}  // namespace concilio::probe
