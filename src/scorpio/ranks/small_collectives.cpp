#include "scorpio/ranks/small_collectives.h"

#include <algorithm>
#include <map>
#include <memory>

#include "base/counters.h"
#include "base/exceptions.h"
#include "base/system/core_offer.h"
#include "mpi/nodes/descriptor_passing.h"
#include "mpi/nodes/team.h"
#include "scorpio/ranks/agreement.h"

namespace concilio::scorpio {
namespace {

using TeamRef = std::shared_ptr<mpi::Team>;

std::map<MPI_Comm, TeamRef>& all_teams() {
  static std::map<MPI_Comm, TeamRef> teams;
  return teams;
}

// Returns the team of the communicator's ranks; null on all ranks if one of them cannot have it.
mpi::Team* team_of(MPI_Comm comm) {
  const auto known = all_teams().find(comm);
  if (known != all_teams().end()) return known->second.get();
  auto team = mpi::Team::acquire(comm, 0);
  int all = team.ok() ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm);
  return (all_teams()[comm] = all != 0 ? *team : nullptr).get();
}

constexpr int most_values = 3;

template <size_t size>
struct Largest {
  int64_t values[size];
};

template <size_t size>
Largest<size> combine(const Largest<size>& a, const Largest<size>& b) {
  Largest<size> out;
  for (size_t i = 0; i < size; ++i) out.values[i] = std::max(a.values[i], b.values[i]);
  return out;
}

// In each place one rank gives its number, and all other ranks give 0.
template <size_t size>
struct PlaceARank {
  int64_t values[size];
};

template <size_t size>
PlaceARank<size> combine(const PlaceARank<size>& a, const PlaceARank<size>& b) {
  PlaceARank<size> out;
  for (size_t i = 0; i < size; ++i) out.values[i] = a.values[i] | b.values[i];
  return out;
}

// The first is what a dataset's description takes.
constexpr size_t few = 72, many = 1000;

template <size_t size>
Result<std::vector<int64_t>> put_together(mpi::Team& team, const std::vector<int64_t>& mine, size_t at,
                                          size_t total) {
  PlaceARank<size> table{};
  std::copy(mine.begin(), mine.end(), table.values + at);
  if (!team.allreduce(table)) return team.failure().error();
  return std::vector<int64_t>(table.values, table.values + total);
}

// Returns the `total` numbers of all ranks, in which this rank's are `mine`, from place `at` on.
Result<std::vector<int64_t>> put_together(mpi::Team& team, const std::vector<int64_t>& mine, size_t at,
                                          size_t total) {
  return total <= few ? put_together<few>(team, mine, at, total) : put_together<many>(team, mine, at, total);
}

}  // namespace

Status largest(MPI_Comm comm, int64_t* values, int count) {
  mpi::Team* team = team_of(comm);
  if (!team || count > most_values)
    return mpi::checked_mpi(MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_MAX, comm),
                            "MPI_Allreduce");
  Largest<most_values> all{};
  std::copy(values, values + count, all.values);
  if (!team->allreduce(all)) return team->failure();
  std::copy(all.values, all.values + count, values);
  return {};
}

Status first_largest(MPI_Comm comm, int64_t* values, int count, const Complaint& complaint,
                     const std::function<void()>& late) {
  mpi::Team* team = team_of(comm);
  if (!team || count > most_values) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = MPI_Iallreduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_MAX, comm, &request);
    if (code != MPI_SUCCESS) return mpi::checked_mpi(code, "MPI_Iallreduce");
    return finish(request, "MPI_Iallreduce", complaint, late);
  }
  Largest<most_values> all{};
  std::copy(values, values + count, all.values);
  const int64_t start_ns = now_ns();
  const auto complain = [&] {
    if (team->is_first_to_wait()) complaint.tell(team->missing());
  };
  const auto set_complaint = [&] {
    if (complaint.after_ns >= 0) team->set_alarm({start_ns + complaint.after_ns, complain});
  };
  set_complaint();
  // A team has one alarm at a time.
  if (late)
    team->set_alarm({start_ns + late_ns, [&] {
                       set_complaint();
                       late();
                     }});
  const bool met = team->first_allreduce(all);
  team->set_alarm({});
  if (!met) return team->failure();
  std::copy(all.values, all.values + count, values);
  return {};
}

Status finish(MPI_Request& request, const char* what, const Complaint& complaint,
              const std::function<void()>& late) {
  const int64_t start_ns = now_ns();
  bool called = !late, told = complaint.after_ns < 0;
  for (;;) {
    int done = 0;
    const int code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS || done) return mpi::checked_mpi(code, what);
    const int64_t waited_ns = now_ns() - start_ns;
    let_others_run(waited_ns);
    if (!called && waited_ns >= late_ns) {
      called = true;
      late();
    }
    if (!told && waited_ns >= complaint.after_ns) {
      told = true;
      complaint.tell({});
    }
  }
}

Result<std::vector<int64_t>> gathered(MPI_Comm comm, const std::vector<int64_t>& mine) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const size_t total = mine.size() * static_cast<size_t>(ranks);
  mpi::Team* team = team_of(comm);
  if (team && total <= many) return put_together(*team, mine, mine.size() * static_cast<size_t>(rank), total);
  std::vector<int64_t> all(total);
  const int count = static_cast<int>(mine.size());
  if (Status status = mpi::checked_mpi(
          MPI_Allgather(mine.data(), count, MPI_INT64_T, all.data(), count, MPI_INT64_T, comm),
          "MPI_Allgather");
      !status)
    return status.error();
  return all;
}

Result<int64_t> sum_below(MPI_Comm comm, int64_t mine) {
  int64_t sum = 0;
  if (mpi::Team* team = team_of(comm)) {
    int64_t total = 0;
    sum = team->sum_below(mine, total);
    if (Status whole = team->failure(); !whole) return whole.error();
    return sum;
  }
  if (Status status = mpi::checked_mpi(MPI_Exscan(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, comm), "MPI_Exscan");
      !status)
    return status.error();
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank == 0 ? 0 : sum;  // MPI_Exscan leaves rank 0's undefined
}

Status told(MPI_Comm comm, int64_t* values, int count) {
  mpi::Team* team = team_of(comm);
  const auto total = static_cast<size_t>(count);
  if (!team || total > many)
    return mpi::checked_mpi(MPI_Bcast(values, count, MPI_INT64_T, 0, comm), "MPI_Bcast");
  const std::vector<int64_t> mine =
      team->rank() == 0 ? std::vector<int64_t>(values, values + count) : std::vector<int64_t>();
  const Result<std::vector<int64_t>> all = put_together(*team, mine, 0, total);
  if (!all) return all.error();
  std::copy(all->begin(), all->end(), values);
  return {};
}

Result<mpi::SharedSegment> shared_memory(MPI_Comm comm, int64_t bytes) {
  mpi::Team* team = team_of(comm);
  // A node without memory for a team counts as many nodes.
  if (!team || team->nodes().size() > 1) return mpi::SharedSegment::share(comm, bytes);
  Descriptor memory;
  Result<mpi::SharedSegment> made = mpi::SharedSegment();
  if (team->rank() == 0) made = without_exceptions([&] { return mpi::SharedSegment::create(bytes, memory); });
  const Descriptor passed = mpi::pass_to_node(*team, memory.number());
  if (team->rank() != 0) made = without_exceptions([&] { return mpi::SharedSegment::attach(passed, bytes); });
  int64_t failed = made ? 0 : 1;
  if (Status status = largest(comm, &failed, 1); !status) return status.error();
  if (failed == 0 || !made) return made;
  return Error{ErrorKind::no_memory, 0, "another rank of the node got no shared memory"};
}

void forget_small(MPI_Comm comm) {
  all_teams().erase(comm);
}

}  // namespace concilio::scorpio
