#include "mpi/nodes/team.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <new>
#include <utility>

#include "base/exceptions.h"
#include "base/log.h"
#include "base/system/core_offer.h"
#include "base/system/strand.h"
#include "mpi/error.h"
#include "mpi/nodes/descriptor_passing.h"
#include "mpi/nodes/machine.h"
#include "mpi/nodes/node_facts.h"
#include "mpi/progress.h"

namespace concilio::mpi {

// State that the ranks of a node share. It lies at the beginning of the control segment. Behind it lie one
// slot of max_value_bytes for each rank of the node, one slot for the result, the writers' board, and a
// Resident for each rank.
struct Team::Control {
  alignas(64) Gate arrived;                  // all ranks of the node have come to the meeting
  alignas(64) Gate done;                     // the meeting's work is done
  alignas(64) std::atomic<int64_t> counter;  // the value of SharedCounter if all ranks are on this node
  std::atomic<int64_t> lost;                 // why the team has failed; 0: it has not failed
  std::atomic<bool> keeps_segment;           // when its file is closed
};

// Which process a rank of the node is. One for each rank lies behind the writers' board.
struct Team::Resident {
  ProcessId process;
  int rank;
  std::atomic<uint64_t> offered;  // the last call that this rank was ready for, counted from 1
  std::atomic<int> core;          // this_core() at one of the last meetings
};

namespace {

constexpr uint64_t meetings_between_looks = 64;

// The core that the caller runs on, counted from 1.
constexpr int unknown_core = 0;
int this_core() {
  return sched_getcpu() + 1;
}

// Values of Control::lost: the number of a rank that has ended, plus first_rank; or no_messages, if messages
// between nodes fail.
constexpr int64_t first_rank = 1;
constexpr int64_t no_messages = -1;

// The exchange of windows uses smaller tags, and never_sent_tag is one less.
constexpr int lost_rank_tag = 32767;
constexpr int64_t look_interval_ns = 1'000'000'000;

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

// A communicator that is used for a while.
struct Communicator {
  MPI_Comm handle = MPI_COMM_NULL;

  Communicator() = default;
  Communicator& operator=(Communicator&& other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~Communicator() {
    if (handle != MPI_COMM_NULL) PMPI_Comm_free(&handle);
  }
};

// Whether all ranks of a communicator have the same number is found by MPI_BAND of this: of two numbers that
// differ, one has a bit where the other has none.
struct OfAll {
  uint64_t number, complement;

  explicit OfAll(uint64_t mine) : number(mine), complement(~mine) {}
  bool same() const { return number == ~complement; }
};

// Splits a communicator into those of its machines, in which the ranks keep their order. A colour has half
// the bits of a machine's number, so in rare cases the other half must tell machines apart.
int split_by_machine(MPI_Comm comm, uint64_t machine, Communicator& mine) {
  constexpr uint64_t colours = uint64_t{INT_MAX} + 1;
  for (const uint64_t colour : {machine % colours, machine / colours % colours}) {
    Communicator part;
    int code = PMPI_Comm_split(comm, static_cast<int>(colour), 0, &part.handle);
    if (code != MPI_SUCCESS) return code;
    mine = std::move(part);
    comm = mine.handle;
    OfAll found(machine);
    code = PMPI_Allreduce(MPI_IN_PLACE, &found, 2, MPI_UINT64_T, MPI_BAND, comm);
    if (code != MPI_SUCCESS || found.same()) return code;
  }
  return MPI_SUCCESS;
}

Error no_memory_for_team() {
  return error_with(ErrorKind::no_memory, 0, [] { return "a rank has no memory for a team of ranks"; });
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

// The list of all BetweenNodes that have their operation and datatype. These are freed when the epoch ends.
struct Betweens {
  std::mutex mutex;
  OfEpoch<BetweenNodes*> first;
};
Betweens& betweens() {
  static constinit Betweens instance;  // ranks that meet must not need memory
  return instance;
}

BetweenNodes::Made make(BetweenNodes& between, size_t bytes) {
  Betweens& all = betweens();
  std::lock_guard lock(all.mutex);
  BetweenNodes::Made& made = *between.made;
  if (made.operation != MPI_OP_NULL) return made;
  PMPI_Op_create(between.function, 1, &made.operation);
  PMPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &made.type);
  PMPI_Type_commit(&made.type);
  made.next = std::exchange(*all.first, &between);
  return made;
}

// Frees them only if this is the last part of MPI: files of another part may still use them.
void free_betweens() {
  if (parts_of_mpi() > 1) return;
  Betweens& all = betweens();
  std::lock_guard lock(all.mutex);
  while (BetweenNodes* between = *all.first) {
    BetweenNodes::Made made = std::exchange(*between->made, {});
    PMPI_Op_free(&made.operation);
    PMPI_Type_free(&made.type);
    *all.first = made.next;
  }
}

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
  free_betweens();
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
    OfAll machine{0}, spare{0};
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
    if (ranks > 1) agreed.machine = OfAll(this_machine());
    if (agreed.free_teams == 0) spare.take(comm, ranks, ranks_per_node);
    agreed.spare = OfAll(spare.number());
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

Status Team::set_up(MPI_Comm comm, int ranks_per_node, bool on_one_machine) {
  ranks_per_node_ = ranks_per_node;
  PMPI_Comm_rank(comm, &rank_);
  PMPI_Comm_size(comm, &size_);
  // MPI_Comm_split and not MPI_Comm_dup, which would call the copy functions of the program's attributes.
  int code = MPI_SUCCESS;
  {
    const ErrorsReturned returned(comm);
    code = PMPI_Comm_split(comm, 0, rank_, &comm_);
  }
  if (auto split = checked_mpi(code, "duplicating the communicator"); !split) return split;
  PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);

  // An MPI has a few thousand communicators, and programs hold many files open. So a team keeps one of them,
  // and the communicators of its nodes only if there are several nodes.
  Communicator own_machine, part;
  if (!on_one_machine) {
    code = split_by_machine(comm_, this_machine(), own_machine);
    if (auto split = checked_mpi(code, "finding the ranks of a node"); !split) return split;
  }
  MPI_Comm machine = on_one_machine ? comm_ : own_machine.handle, node = machine;
  int machine_rank = 0;
  PMPI_Comm_rank(machine, &machine_rank);
  for (bool sharing : {true, false}) {
    if (size_ > 1 && (!sharing || ranks_per_node > 0)) {
      part = Communicator();
      const int colour = sharing ? machine_rank / ranks_per_node : machine_rank;
      code = PMPI_Comm_split(machine, colour, rank_, &part.handle);
      if (auto split = checked_mpi(code, "finding the ranks of a node"); !split) return split;
      node = part.handle;
    }
    PMPI_Comm_rank(node, &local_rank_);
    PMPI_Comm_size(node, &local_size_);
    // Where memory cannot be shared, every rank becomes a node of its own, which is slower but correct. All
    // ranks make the same choice; those of one node have agreed already.
    int shared = share_control(node).ok();
    if (local_size_ < size_) PMPI_Allreduce(MPI_IN_PLACE, &shared, 1, MPI_INT, MPI_MIN, comm_);
    if (shared) break;
    if (!sharing) return no_memory_for_team();
  }
  Status mine = without_exceptions([&]() -> Status {
    new (&resident(local_rank_)) Resident{this_process(), rank_, 0, unknown_core};
    return {};
  });
  if (local_size_ < size_) {
    code = PMPI_Comm_split(comm_, local_rank_ == 0 ? 0 : MPI_UNDEFINED, rank_, &leaders_);
    if (auto split = checked_mpi(code, "finding the leaders of the nodes"); !split) return split;
  }
  return learn_nodes(node, std::move(mine));
}

Status Team::share_control(MPI_Comm node) {
  const int64_t bytes = static_cast<int64_t>(sizeof(Control)) + (local_size_ + 1) * max_value_bytes +
                        WritersBoard::bytes_needed(local_size_) +
                        local_size_ * static_cast<int64_t>(sizeof(Resident));
  auto made = SharedSegment::share(node, bytes);
  if (!made) {
    if (local_size_ > 1) {
      if_there_is_memory([&] {
        log_once_on_node(LogLevel::warning,
                         made.error().message + "; each rank counts as a node of its own, which is slower");
      });
    }
    return out_of_memory();
  }
  control_segment_ = std::move(*made);
  return {};
}

// `mine` is whether this rank has had what it needed for the team up to here.
Status Team::learn_nodes(MPI_Comm node, Status mine) {
  struct Card {
    int64_t free_bytes;
    int ranks, cores;
    int candidates[max_candidates];
  };
  int place[2] = {1, 0};  // how many nodes there are, and which of them is this one
  if (leaders_ != MPI_COMM_NULL) {
    PMPI_Comm_size(leaders_, &place[0]);
    PMPI_Comm_rank(leaders_, &place[1]);
  }
  if (local_size_ < size_) PMPI_Bcast(place, 2, MPI_INT, 0, node);
  const auto node_count = static_cast<size_t>(place[0]);
  node_ = place[1];
  struct Member {
    int rank, cores;
  };
  std::vector<Member> members;
  std::vector<Card> cards;
  Card card{};
  if (mine) {
    mine = without_exceptions([&]() -> Status {
      members.resize(static_cast<size_t>(local_size_));
      cards.resize(node_count);
      nodes_.resize(node_count);
      for (Node& node : nodes_) node.candidates.reserve(max_candidates);
      if (local_rank_ == 0) card.free_bytes = free_memory_bytes();
      looked_at_memory_ns_ = now_ns();
      return {};
    });
  }
  // The new number is greater by one than any that a rank of this team has seen. All ranks agree on it, and
  // that they have the memory for what follows.
  static std::atomic<int64_t> highest{0};
  int64_t most[2] = {highest + 1, mine ? 0 : 1};
  PMPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT64_T, MPI_MAX, comm_);
  highest = number_ = most[0];
  if (most[1] != 0) return no_memory_for_team();
  const Member me{rank_, usable_cores()};
  PMPI_Allgather(&me, sizeof me, MPI_BYTE, members.data(), sizeof me, MPI_BYTE, node);
  if (local_rank_ == 0) {
    card.ranks = local_size_;
    for (const Member& member : members) card.cores += member.cores;
    card.cores = std::min(card.cores, online_cores());
    for (int i = 0; i < std::min(local_size_, max_candidates); ++i)
      card.candidates[i] = members[static_cast<size_t>(i)].rank;
    if (node_count == 1)
      cards.front() = card;
    else
      PMPI_Allgather(&card, sizeof card, MPI_BYTE, cards.data(), sizeof card, MPI_BYTE, leaders_);
  }
  const int code = PMPI_Bcast(cards.data(), static_cast<int>(cards.size() * sizeof(Card)), MPI_BYTE, 0, node);
  if (auto told = checked_mpi(code, "learning what the nodes are"); !told) return told;

  cores_ = INT_MAX;
  for (size_t i = 0; i < node_count; ++i) {
    const Card& its = cards[i];
    nodes_[i].ranks = its.ranks;
    nodes_[i].free_bytes = its.free_bytes;
    nodes_[i].candidates.assign(its.candidates, its.candidates + std::min(its.ranks, max_candidates));
    cores_ = std::min(cores_, its.cores);
  }
  const bool has_own_core = local_size_ <= cores_ && !ranks_are_simulated();
  spins_ = has_own_core ? spins_with_own_core : 0;
  yields_ = has_own_core || ranks_are_simulated() ? 0 : yields_on_shared_core;
  return counter_.set_up(comm_, nodes_.size() == 1 ? &control().counter : nullptr);
}

// Without memory to ask with, it is as it was.
int64_t Team::free_bytes_now() {
  int64_t bytes = nodes_[static_cast<size_t>(node_)].free_bytes;
  if (now_ns() - looked_at_memory_ns_ < look_interval_ns) return bytes;
  looked_at_memory_ns_ = now_ns();
  if_there_is_memory([&] { bytes = free_memory_bytes(); });
  return bytes;
}

// One wait of a rank. Once a second it checks whether the ranks that it waits for still run.
class Team::Watch {
 public:
  explicit Watch(Team& team, int64_t patience_ns = for_ever)
      : team_(team), end_ns_(patience_ns == for_ever ? for_ever : now_ns() + patience_ns) {}
  bool in_vain() {
    if (team_.alarm_.at_ns != for_ever && now_ns() >= team_.alarm_.at_ns)
      std::exchange(team_.alarm_, {}).ring();
    // Short waits look too, each of them at its end if it is time.
    const bool ends = end_ns_ != for_ever && now_ns() >= end_ns_;
    if (team_.failure() && now_ns() >= (ends ? team_.next_look_ns_ : next_look_ns_)) {
      team_.look_for_ended_ranks();
      next_look_ns_ = team_.next_look_ns_ = now_ns() + look_interval_ns;
    }
    if (ends) return true;
    team_.hear_of_lost_ranks();
    return !team_.failure();
  }
  bool core_is_shared() const {
    const int core = this_core();
    for (int i = 0; i < team_.local_size_; ++i) {
      if (core != unknown_core && i != team_.local_rank_ &&
          team_.resident(i).core.load(std::memory_order_relaxed) == core)
        return true;
    }
    return false;
  }
  WaitPolicy policy(bool sleeps_at_once = false) {
    return {sleeps_at_once ? 0 : team_.spins_,
            [](void* watch) { static_cast<Watch*>(watch)->team_.make_progress(); },
            this,
            [](void* watch) { return static_cast<Watch*>(watch)->core_is_shared(); },
            [](void* watch) { return static_cast<Watch*>(watch)->in_vain(); },
            sleeps_at_once ? 0 : team_.yields_};
  }

 private:
  Team& team_;
  const int64_t end_ns_;
  int64_t next_look_ns_ = now_ns() + look_interval_ns;
};

void Team::make_progress() {
  if (ranks_are_simulated()) return;
  mpi::make_progress(comm_);
}

// In one order for all: of the ranks that offer and then look, the last one sees that all have offered.
void Team::offer() {
  resident(local_rank_).offered.store(calls_ + 1, std::memory_order_seq_cst);
}

bool Team::all_offer() const {
  for (int i = 0; i < local_size_; ++i) {
    if (resident(i).offered.load(std::memory_order_seq_cst) <= calls_) return false;
  }
  return true;
}

std::vector<int> Team::missing() const {
  std::vector<int> ranks;
  for (int i = 0; i < local_size_; ++i) {
    if (resident(i).offered.load(std::memory_order_acquire) <= calls_) ranks.push_back(resident(i).rank);
  }
  return ranks;
}

bool Team::is_first_to_wait() const {
  for (int i = 0; i < local_rank_; ++i) {
    if (resident(i).offered.load(std::memory_order_acquire) > calls_) return false;
  }
  return true;
}

bool Team::wait(EventCounter& event, uint32_t target, bool messages) {
  Watch watch(*this);
  WaitPolicy policy = watch.policy(on_pool_thread());
  policy.messages = messages && !ranks_are_simulated();  // whose messages proceed by themselves
  return event.wait_for(target, policy);
}

int Team::finish(MPI_Request& request) {
  if (ranks_are_simulated()) return PMPI_Wait(&request, MPI_STATUS_IGNORE);
  Watch watch(*this);
  constexpr int tests_at_a_time = 64;
  const int64_t begin_ns = now_ns();
  for (;;) {
    for (int i = 0; i < tests_at_a_time; ++i) {
      int done = 0;
      const int code = PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (code != MPI_SUCCESS || done) return code;
      let_others_run(now_ns() - begin_ns);
    }
    if (watch.in_vain()) return MPI_ERR_OTHER;
  }
}

Status Team::failure() const {
  const int64_t lost = control().lost.load(std::memory_order_acquire);
  if (lost == 0) return {};
  return error_with(ErrorKind::rank_lost, 0, [&] {
    const std::string what = lost == no_messages ? "messages between nodes fail"
                                                 : fmt::format("rank {} has ended", lost - first_rank);
    return what +
           " while other ranks count on it: this file can only be closed, and its collective calls "
           "since then may be incomplete";
  });
}

// Without memory for it the next look finds them.
void Team::look_for_ended_ranks() {
  if_there_is_memory([&] {
    for (int i = 0; i < local_size_; ++i) {
      if (i != local_rank_ && has_ended(resident(i).process)) give_up_on(resident(i).rank + first_rank);
    }
  });
}

// The rank that finds it out first tells the leaders of all other nodes.
void Team::give_up_on(int64_t lost) {
  int64_t nothing = 0;
  if (!control().lost.compare_exchange_strong(nothing, lost)) return;
  for (size_t node = 0; node < nodes_.size(); ++node) {
    if (node == static_cast<size_t>(node_)) continue;
    // The shared memory stays when the team has failed, as the message may still be under way.
    MPI_Request request;
    if (PMPI_Isend(&control().lost, 1, MPI_INT64_T, nodes_[node].candidates.front(), lost_rank_tag, comm_,
                   &request) == MPI_SUCCESS)
      PMPI_Request_free(&request);
  }
}

void Team::hear_of_lost_ranks() {
  if (nodes_.size() <= 1 || local_rank_ != 0 || ranks_are_simulated()) return;
  int told = 0;
  MPI_Status status;
  PMPI_Iprobe(MPI_ANY_SOURCE, lost_rank_tag, comm_, &told, &status);
  if (!told) return;
  int64_t lost = 0, nothing = 0;
  PMPI_Recv(&lost, 1, MPI_INT64_T, status.MPI_SOURCE, lost_rank_tag, comm_, MPI_STATUS_IGNORE);
  control().lost.compare_exchange_strong(nothing, lost);
}

Team::~Team() {
  if (may_be_spare_) --spares_of(size_);
  const bool failed = control_segment_.data() && !failure();
  // Messages of a failed team may still be under way, and use this memory.
  if (failed && nodes_.size() > 1) {
    control_segment_.abandon();
    segment_.abandon();
  }
  if (!mpi_runs()) return;
  if (kept().ending > 0) free_betweens();
  if (failed) return;
  for (MPI_Comm* comm : {&leaders_, &comm_}) {
    if (*comm != MPI_COMM_NULL) PMPI_Comm_free(comm);
  }
}

Team::Control& Team::control() const {
  return *reinterpret_cast<Control*>(control_segment_.data());
}

std::byte* Team::slot(int local_rank) const {
  return control_segment_.data() + sizeof(Control) + local_rank * max_value_bytes;
}

WritersBoard Team::board() const {
  return {slot(local_size_ + 1), local_rank_, local_size_};
}

Team::Resident& Team::resident(int local_rank) const {
  std::byte* first = slot(local_size_ + 1) + WritersBoard::bytes_needed(local_size_);
  return reinterpret_cast<Resident*>(first)[local_rank];
}

// Waits in a meeting that this rank has entered. If its patience ends, it leaves the meeting again, which is
// possible as long as not all ranks of the node have arrived.
bool Team::wait_for_meeting(EventCounter& event, int64_t patience_ns) {
  const auto target = static_cast<uint32_t>(meetings_);
  if (patience_ns == for_ever) return wait(event, target);
  Watch watch(*this, patience_ns);
  if (event.wait_for(target, watch.policy())) return true;
  if (failure() && control().arrived.withdraw(meetings_, static_cast<uint32_t>(local_size_))) {
    count_meeting(-1);
    return false;
  }
  return wait(event, target);
}

void Team::count_meeting(int more) {
  meetings_ += static_cast<uint64_t>(more);
  if (counted_) *counted_ += more;
}

// All ranks of the node arrive; one of them does the work; then all continue. The work is done by the leader,
// or, if there is only one node, by the last rank to arrive.
bool Team::meet(FunctionRef<bool()> work, int64_t patience_ns) {
  if (!failure()) return false;
  count_meeting(1);
  // Ranks stay on their cores for many meetings.
  if (meetings_ % meetings_between_looks == 1)
    resident(local_rank_).core.store(this_core(), std::memory_order_relaxed);
  Control& meeting = control();
  bool last = meeting.arrived.arrive(static_cast<uint32_t>(local_size_));
  if (nodes_.size() <= 1) {
    if (!last) return wait_for_meeting(meeting.done.passed, patience_ns);
    work();
    meeting.done.open();
    return true;
  }
  if (last) meeting.arrived.open();
  if (local_rank_ != 0) return wait_for_meeting(meeting.done.passed, patience_ns);
  if (!wait_for_meeting(meeting.arrived.passed, patience_ns) || !work()) return false;
  meeting.done.open();
  return true;
}

// Completes an operation that this leader has begun with the other leaders. If they do not come, the team
// fails, so that no rank of the node waits for ever.
bool Team::finish_between_nodes(int code, MPI_Request& request) {
  if (code == MPI_SUCCESS) code = finish(request);
  if (code != MPI_SUCCESS) give_up_on(no_messages);
  return code == MPI_SUCCESS;
}

bool Team::reduce_bytes(void* value, const Reduction& reduction, int64_t patience_ns) {
  std::byte* result = slot(local_size_);
  std::memcpy(slot(local_rank_), value, reduction.bytes);
  const bool met = meet(
      [&] {
        std::memcpy(result, slot(0), reduction.bytes);
        for (int i = 1; i < local_size_; ++i) reduction.combine(result, slot(i));
        if (nodes_.size() <= 1) return true;
        const BetweenNodes::Made between = make(*reduction.between_nodes, reduction.bytes);
        MPI_Request request = MPI_REQUEST_NULL;
        const int code =
            PMPI_Iallreduce(MPI_IN_PLACE, result, 1, between.type, between.operation, leaders_, &request);
        return finish_between_nodes(code, request);
      },
      patience_ns);
  if (met) std::memcpy(value, result, reduction.bytes);
  return met;
}

bool Team::reduce_node_bytes(void* value, const Reduction& reduction) {
  std::byte* result = slot(local_size_);
  std::memcpy(slot(local_rank_), value, reduction.bytes);
  const bool met = meet([&] {
    std::memcpy(result, slot(0), reduction.bytes);
    for (int i = 1; i < local_size_; ++i) reduction.combine(result, slot(i));
    return true;
  });
  if (met) std::memcpy(value, result, reduction.bytes);
  return met;
}

bool Team::gather_node_bytes(const void* mine, size_t bytes, std::byte* all) {
  const size_t count = nodes_.size();
  if (count == 1 && local_rank_ == 0) std::memcpy(all, mine, bytes);
  if (count > 1 && local_rank_ == 0 && failure()) {
    MPI_Request request = MPI_REQUEST_NULL;
    std::memcpy(slot(0), mine, bytes);
    const int code = PMPI_Iallgather(slot(0), static_cast<int>(bytes), MPI_BYTE, all, static_cast<int>(bytes),
                                     MPI_BYTE, leaders_, &request);
    if (!finish_between_nodes(code, request)) return false;
  }
  // The values are passed on in portions that fit into the result's slot.
  const std::byte* result = slot(local_size_);
  const size_t step = static_cast<size_t>(max_value_bytes) / bytes;
  for (size_t first = 0; first < count; first += step) {
    const size_t part = std::min(step, count - first) * bytes;
    if (!node_barrier()) return false;  // now all ranks have copied the portion before
    if (local_rank_ == 0) std::memcpy(slot(local_size_), all + first * bytes, part);
    if (!node_barrier()) return false;
    if (local_rank_ != 0) std::memcpy(all + first * bytes, result, part);
  }
  return true;
}

bool Team::node_barrier() {
  if (!failure()) return false;
  count_meeting(1);
  Control& meeting = control();
  if (!meeting.arrived.arrive(static_cast<uint32_t>(local_size_)))
    return wait(meeting.done.passed, static_cast<uint32_t>(meetings_));
  if (nodes_.size() > 1) meeting.arrived.open();  // keeps both gates in step with meetings_
  meeting.done.open();
  return true;
}

int64_t Team::sum_below(int64_t mine, int64_t& total) {
  int64_t below = total = 0;
  if (nodes_.size() == 1) {
    // With one node, the ranks of the node are the ranks of the team, in the same order.
    std::memcpy(slot(local_rank_), &mine, sizeof mine);
    const bool met = meet([&] {
      int64_t sum = 0;
      for (int i = 0; i <= local_size_; ++i) {
        int64_t value = 0;
        if (i < local_size_) std::memcpy(&value, slot(i), sizeof value);
        std::memcpy(slot(i), &sum, sizeof sum);
        sum += value;
      }
      return true;
    });
    if (!met) return 0;
    std::memcpy(&below, slot(local_rank_), sizeof below);
    std::memcpy(&total, slot(local_size_), sizeof total);
    return below;
  }
  // The numbers lie in shared memory, which stays mapped: MPI may still access them if the other nodes never
  // come.
  struct Sums {
    int64_t mine, below, total;
  };
  Sums& sums = *new (slot(local_rank_)) Sums{mine, 0, 0};
  MPI_Request request = MPI_REQUEST_NULL;
  int code = PMPI_Iexscan(&sums.mine, &sums.below, 1, MPI_INT64_T, MPI_SUM, comm_, &request);
  if (!failure() || !finish_between_nodes(code, request)) return 0;
  if (rank_ == 0) sums.below = 0;  // MPI leaves it undefined on rank 0
  sums.total = sums.below + mine;
  code = PMPI_Ibcast(&sums.total, 1, MPI_INT64_T, size_ - 1, comm_, &request);
  if (!finish_between_nodes(code, request)) return 0;
  below = sums.below;
  total = sums.total;
  return below;
}

namespace {
struct AllSucceeded {
  int64_t yes;
};
AllSucceeded combine(const AllSucceeded& a, const AllSucceeded& b) {
  return {a.yes & b.yes};
}
}  // namespace

// Collective over the node.
Result<SharedSegment> Team::new_segment(int64_t bytes) {
  Descriptor memory;
  Result<SharedSegment> made = SharedSegment();
  if (local_rank_ == 0) {
    made = without_exceptions([&] {
      return local_size_ == 1 ? SharedSegment::make_private(bytes) : SharedSegment::create(bytes, memory);
    });
    if (made) if_there_is_memory([&] { kept_segment_ = KeptSegment(bytes, local_size_, memory); });
    control().keeps_segment = kept_segment_.kept();
  }
  if (local_size_ == 1) return made;
  const Descriptor passed = pass_to_node(*this, memory.number());
  if (!failure()) return failure().error();
  if (local_rank_ != 0) made = without_exceptions([&] { return SharedSegment::attach(passed, bytes); });
  return made;
}

void Team::give_back_segment() {
  // Messages of a failed team may still be under way, and use this memory.
  if (nodes_.size() > 1 && !failure()) segment_.abandon();
  segment_ = SharedSegment();
  kept_segment_ = {};
}

void Team::file_is_closed() {
  count_meetings(nullptr);
  segment_.unpin();
  if (!control().keeps_segment || !failure()) give_back_segment();
}

Result<std::byte*> Team::segment(int64_t bytes) {
  const bool enough = bytes <= segment_.size();
  AllSucceeded all{enough};
  if (nodes_.size() > 1 && !allreduce(all)) return failure().error();
  if (all.yes) return segment_.data();
  Status status;
  if (!enough) {
    give_back_segment();
    Result<SharedSegment> made = new_segment(bytes);
    if (made) {
      segment_ = std::move(*made);
    } else {
      status = made.error();
    }
  }
  all = {status.ok()};
  if (!allreduce(all)) all = {false};
  if (all.yes) return segment_.data();
  give_back_segment();
  if (!failure()) return failure().error();
  return status
             ? error_with(ErrorKind::no_memory, 0, [] { return "no shared memory on another rank's node"; })
             : status.error();
}

}  // namespace concilio::mpi
