// Measures what it costs that the ranks of a node meet, as in a round of a two-phase call: all ranks arrive,
// one works for a moment, and all continue.
#include <algorithm>

#include "base/median.h"
#include "probe/measure/sampler.h"
#include "probe/measure/session.h"

namespace concilio::probe {

namespace {

constexpr double work_seconds = 100e-6;  // about what a window takes
constexpr int rounds_in_batch = 10;
constexpr size_t least_batches = 3;

struct GoOn {
  int64_t yes;
};
GoOn combine(const GoOn& a, const GoOn& b) {
  return {a.yes | b.yes};
}

void work() {
  for (const double end = now_seconds() + work_seconds; now_seconds() < end;) {
  }
}

// The seconds of a round without the work, as rank 0 measures them. Collective over `team`.
double seconds_of_round(mpi::Team& team, double limit_seconds) {
  const double end = now_seconds() + limit_seconds;
  std::vector<double> seconds;
  for (GoOn go_on{1}; go_on.yes;) {
    const double begin = now_seconds();
    for (int i = 0; i < rounds_in_batch; ++i) {
      team.node_barrier();
      if (team.rank() == 0) work();
      team.node_barrier();
    }
    const double round = (now_seconds() - begin) / rounds_in_batch - work_seconds;
    seconds.push_back(std::max(round, 1e-8));
    go_on.yes = team.rank() == 0 && (seconds.size() < least_batches || now_seconds() < end);
    team.allreduce(go_on);
  }
  return median(seconds);
}

}  // namespace

// By the number of ranks, on the first node.
Status measure_synchronise(Session& session) {
  mpi::Team& team = session.team;
  const int most = team.nodes()[0].ranks;
  std::vector<int> counts;
  for (int count = 2; count < most; count *= 2) counts.push_back(count);
  if (most > 1) counts.push_back(most);
  Status status;
  for (const int count : counts) {
    const bool takes_part = team.node() == 0 && team.local_rank() < count;
    MPI_Comm together;
    PMPI_Comm_split(team.comm(), takes_part ? 0 : MPI_UNDEFINED, team.rank(), &together);
    double seconds = 0;
    if (takes_part) {
      auto few = mpi::Team::acquire(together, 0);
      if (!few)
        status = few.error();
      else
        seconds = seconds_of_round(**few, session.seconds / static_cast<double>(counts.size()));
      PMPI_Comm_free(&together);
    }
    if (Status all = agree_at_rest(team, status); !all) return all;
    if (session.first())
      session.found[Quantity::synchronise].push_back({static_cast<double>(count), seconds});
  }
  return {};
}

}  // namespace concilio::probe
