#include "mpi/nodes/team.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <new>
#include <utility>

#include "base/exceptions.h"
#include "base/log.h"
#include "mpi/error.h"
#include "mpi/nodes/between_nodes.h"
#include "mpi/nodes/descriptor_passing.h"
#include "mpi/nodes/machine.h"
#include "mpi/nodes/node_facts.h"
#include "mpi/nodes/same_number.h"
#include "mpi/nodes/team_control.h"

namespace concilio::mpi {
namespace {

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
    SameNumber found(machine);
    code = PMPI_Allreduce(MPI_IN_PLACE, &found, 2, MPI_UINT64_T, MPI_BAND, comm);
    if (code != MPI_SUCCESS || found.same()) return code;
  }
  return MPI_SUCCESS;
}

}  // namespace

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
    new (&resident(local_rank_)) Resident{this_process(), rank_, 0, Resident::unknown_core};
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

Team::~Team() {
  if (may_be_spare_) stop_being_spare();
  const bool failed = control_segment_.data() && !failure();
  // Messages of a failed team may still be under way, and use this memory.
  if (failed && nodes_.size() > 1) {
    control_segment_.abandon();
    segment_.abandon();
  }
  if (!mpi_runs()) return;
  if (a_part_is_ending()) free_between_nodes();
  if (failed) return;
  for (MPI_Comm* comm : {&leaders_, &comm_}) {
    if (*comm != MPI_COMM_NULL) PMPI_Comm_free(comm);
  }
}

WritersBoard Team::board() const {
  return {slot(local_size_ + 1), local_rank_, local_size_};
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
