// Teams are kept from one file to the next.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "base/exceptions.h"
#include "mpi/epoch.h"
#include "mpi/error.h"
#include "mpi/nodes/machine.h"
#include "mpi/nodes/same_number.h"
#include "mpi/nodes/team_control.h"

namespace concilio::mpi {
namespace {

// The teams that were made for one communicator. They are kept on it, for files that are opened later. A
// team's index must be the same on all ranks, but each rank gives back teams on its own; the entry then
// stays, empty.
using Teams = std::vector<std::shared_ptr<Team>>;
// Ranks tell each other in one number which of a communicator's teams are free, a bit for each. The last bits
// say that a new team may become a spare one, and that the rank has what it needs.
constexpr size_t most_kept_teams = 62;
constexpr uint64_t may_become_spare = uint64_t{1} << most_kept_teams;
constexpr uint64_t is_prepared = may_become_spare << 1;

// HDF5, netCDF and PnetCDF duplicate the communicator for each file that they open, and free the duplicate.
// Its team is kept as a spare one, for a communicator of the same ranks in the same order. Each holds one of
// MPI's few thousand communicators, and some KiB of memory for each rank, so a process keeps only so many of
// about as many ranks.
constexpr int most_spare_teams(int ranks) {
  constexpr int ranks_of_all = 256, least = 4, most = 32;
  return std::clamp(ranks_of_all / ranks, least, most);
}
// More than there can be of all sizes together.
constexpr size_t room_for_spare_teams = 256;

struct Kept {
  struct InEpoch {
    int keyval = MPI_KEYVAL_INVALID;
    std::vector<Teams*> all;  // of all communicators, the earliest first
    Teams spare;              // a file may still use them
  };
  std::mutex mutex;
  OfEpoch<InEpoch> now;
  std::atomic<int> ending{0};  // how many parts of MPI are ending now; meanwhile no team is kept
  // How many teams there are that become spare ones, by the binary logarithm of their ranks.
  std::array<std::atomic<int>, 32> may_be_spare{};
};
// Takes no memory of its own, since MPI may end without any left.
Kept& kept() {
  alignas(Kept) static std::byte room[sizeof(Kept)];
  static auto* instance = new (room) Kept;
  return *instance;
}

std::atomic<int>& spares_of(int ranks) {
  return kept().may_be_spare[static_cast<size_t>(std::bit_width(static_cast<unsigned>(ranks)) - 1)];
}

// Whether the next rank of the communicator is of this rank's job: if it is so on every rank, all are of one
// job. Jobs that MPI has connected stay so as long as any communicator has ranks of both.
bool next_rank_is_of_this_job(MPI_Comm comm, int ranks) {
  if (!world_runs()) return false;
  int rank = 0, place = MPI_UNDEFINED;
  PMPI_Comm_rank(comm, &rank);
  const int next = (rank + 1) % ranks;
  MPI_Group group = MPI_GROUP_NULL, job = MPI_GROUP_NULL;
  if (PMPI_Comm_group(comm, &group) == MPI_SUCCESS && PMPI_Comm_group(MPI_COMM_WORLD, &job) == MPI_SUCCESS)
    PMPI_Group_translate_ranks(group, 1, &next, job, &place);
  for (MPI_Group* one : {&group, &job}) {
    if (*one != MPI_GROUP_NULL) PMPI_Group_free(one);
  }
  return place != MPI_UNDEFINED;
}

// Takes no memory: there is room for all teams that may become spare ones. The caller holds the mutex.
void keep_as_spare(std::shared_ptr<Team>& team) {
  Teams& spare = kept().now->spare;
  const bool room = kept().ending == 0 && spare.size() < spare.capacity();
  if (team && team->may_be_spare() && team->failure() && room) spare.push_back(std::move(team));
}

// The communicator is freed.
int drop_teams(MPI_Comm, int, void* value, void*) {
  auto* teams = static_cast<Teams*>(value);
  {
    std::lock_guard lock(kept().mutex);
    std::erase(kept().now->all, teams);
    std::ranges::for_each(*teams, keep_as_spare);
  }
  delete teams;
  return MPI_SUCCESS;
}

// A spare team of the communicator's ranks that no file uses. Whoever has it is the only one, and gives it
// back if the other ranks do not agree.
class Spare {
 public:
  void take(MPI_Comm comm, int ranks, int ranks_per_node) {
    // MPI does not let communicators of different sessions be compared.
    if (parts_of_mpi() != 1) return;
    Teams& spare = kept().now->spare;
    for (size_t i = spare.size(); i-- > 0;) {
      const std::shared_ptr<Team>& team = spare[i];
      if (team.use_count() > 1 || team->size() != ranks || team->ranks_per_node() != ranks_per_node) continue;
      int likeness = MPI_UNEQUAL;
      PMPI_Comm_compare(comm, team->comm(), &likeness);
      if (likeness != MPI_CONGRUENT || !team->failure()) continue;
      team_ = std::move(spare[i]);
      spare.erase(spare.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
  }
  ~Spare() {
    std::lock_guard lock(kept().mutex);
    keep_as_spare(team_);
  }
  // The same on all ranks of a team, and 0 if there is none.
  uint64_t number() const { return team_ ? static_cast<uint64_t>(team_->number()) : 0; }
  std::shared_ptr<Team> give() { return std::move(team_); }

 private:
  std::shared_ptr<Team> team_;
};

Teams* teams_of(MPI_Comm comm) {
  Kept::InEpoch& now = *kept().now;
  if (now.keyval == MPI_KEYVAL_INVALID)
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop_teams, &now.keyval, nullptr);
  void* value = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(comm, now.keyval, &value, &found);
  if (found) return static_cast<Teams*>(value);
  auto teams = std::make_unique<Teams>();
  now.all.push_back(teams.get());
  PMPI_Comm_set_attr(comm, now.keyval, teams.get());
  return teams.release();
}

}  // namespace

// Runs while MPI still works. Afterwards MPI deletes the attributes that the program put on MPI_COMM_SELF,
// and their functions may still open and close files. A team that is in use stays until its file is closed.
void Team::part_ends() {
  ++kept().ending;
  Teams unused;
  if_there_is_memory([&] {
    std::lock_guard lock(kept().mutex);
    for (Teams* teams : kept().now->all) std::ranges::move(*teams, std::back_inserter(unused));
    std::ranges::move(kept().now->spare, std::back_inserter(unused));
    kept().now->spare.clear();
  });
  unused.clear();
  free_between_nodes();
}

void Team::part_has_ended() {
  --kept().ending;
}

Result<std::shared_ptr<Team>> Team::acquire(MPI_Comm comm, int ranks_per_node) {
  // Several threads may each open a file with MPI_COMM_SELF at the same time. They take turns here, so that
  // no two of them take the same team, or change or split the communicator at the same time. What they reduce
  // over its one rank before they come here needs no turns. For a larger communicator MPI requires the
  // program to keep its threads apart.
  static constinit std::mutex turns;
  std::unique_lock turn(turns, std::defer_lock);
  int ranks = 0;
  if (PMPI_Comm_size(comm, &ranks) == MPI_SUCCESS && ranks == 1) turn.lock();
  // The ranks must agree which of this communicator's teams are free: a file may already be closed on one
  // rank and not yet on another. Before they meet, each has what a new team takes, and room to keep it. Those
  // that it says are free it keeps until then, since another thread may end a part of MPI meanwhile.
  Teams* teams = nullptr;
  Teams before;
  std::shared_ptr<Team> fresh;
  Spare spare;
  struct Agreed {
    uint64_t free_teams = 0;
    SameNumber machine{0}, spare{0};
  } agreed;
  if_there_is_memory([&] {
    std::lock_guard lock(kept().mutex);
    teams = teams_of(comm);
    fresh.reset(new Team);
    if (teams->size() == teams->capacity()) teams->reserve(2 * teams->size() + 1);
    for (size_t i = 0; i < teams->size(); ++i) {
      const auto& team = (*teams)[i];
      if (team && team.use_count() == 1 && team->ranks_per_node_ == ranks_per_node && team->failure())
        agreed.free_teams |= uint64_t{1} << i;
    }
    std::atomic_thread_fence(std::memory_order_acquire);  // after what other threads did with these teams
    before = *teams;
    if (ranks > 1) agreed.machine = SameNumber(this_machine());
    if (agreed.free_teams == 0) spare.take(comm, ranks, ranks_per_node);
    agreed.spare = SameNumber(spare.number());
    kept().now->spare.reserve(room_for_spare_teams);
    const bool needs_new = agreed.free_teams == 0 && spare.number() == 0;
    if (needs_new && spares_of(ranks) < most_spare_teams(ranks) && next_rank_is_of_this_job(comm, ranks))
      agreed.free_teams |= may_become_spare;
    agreed.free_teams |= is_prepared;
  });
  static_assert(sizeof agreed == 5 * sizeof(uint64_t));
  const int code = PMPI_Allreduce(MPI_IN_PLACE, &agreed, 5, MPI_UINT64_T, MPI_BAND, comm);
  if (auto status = checked_mpi(code, "agreeing on a team"); !status) return status.error();
  if (!(agreed.free_teams & is_prepared)) return no_memory_for_team();
  if (const uint64_t free_teams = agreed.free_teams & (may_become_spare - 1); free_teams != 0)
    return before[static_cast<size_t>(__builtin_ctzll(free_teams))];
  std::shared_ptr<Team> team = agreed.spare.same() ? spare.give() : nullptr;
  if (!team) {
    team = std::move(fresh);
    if (auto status = team->set_up(comm, ranks_per_node, agreed.machine.same()); !status)
      return status.error();
    if (agreed.free_teams & may_become_spare) team->become_spare_when_freed();
  }
  std::lock_guard lock(kept().mutex);
  if (teams->size() < most_kept_teams) teams->push_back(kept().ending > 0 ? nullptr : team);
  return team;
}

void Team::become_spare_when_freed() {
  may_be_spare_ = true;
  ++spares_of(size_);
}

void Team::stop_being_spare() {
  --spares_of(size_);
}

bool Team::a_part_is_ending() {
  return kept().ending > 0;
}

}  // namespace concilio::mpi
