// How the ranks of a team wait for each other, and what they do together when all have come.

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/system/core_offer.h"
#include "base/system/strand.h"
#include "mpi/nodes/between_nodes.h"
#include "mpi/nodes/team_control.h"
#include "mpi/progress.h"

namespace concilio::mpi {
namespace {

constexpr uint64_t meetings_between_looks = 64;

// The core that the caller runs on, counted from 1.
int this_core() {
  return sched_getcpu() + 1;
}

}  // namespace

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
      if (core != Resident::unknown_core && i != team_.local_rank_ &&
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
  if (code != MPI_SUCCESS) give_up_on(Control::no_messages);
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
        const BetweenNodes::Made between = made_between_nodes(*reduction.between_nodes, reduction.bytes);
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

}  // namespace concilio::mpi
