// The ranks of one communicator, as exec sees them: a duplicate of the communicator, which ranks share a
// node, and the memory and synchronisation of each node. A team is made once for a communicator and kept on
// it as an attribute. When that communicator is freed, the team is kept for another one of the same ranks.
//
// Ranks of one node meet through shared memory and futexes (Gate). Only one rank of each node, its leader,
// takes part in the messages between nodes.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/counters.h"
#include "base/function_ref.h"
#include "base/result.h"
#include "base/system/process.h"
#include "mpi/nodes/between_nodes.h"
#include "mpi/nodes/futex.h"
#include "mpi/nodes/kept_segments.h"
#include "mpi/nodes/shared_counter.h"
#include "mpi/nodes/shared_segment.h"
#include "mpi/nodes/writers_board.h"

namespace concilio::mpi {

class Team {
 public:
  // One node of the team. All ranks know the first few ranks of every node, which may become aggregators and
  // carry messages.
  struct Node {
    int ranks = 0;
    std::vector<int> candidates;  // ranks of the team, lowest first
    int64_t free_bytes = 0;       // when the team was made, or what was found since (see free_bytes_now)
  };
  static constexpr int max_candidates = 8;
  // The largest size of a value that allreduce takes, in bytes.
  static constexpr int64_t max_value_bytes = 8192;

  // Returns a team for `comm` that no other open file is using. Collective over comm, with the same outcome
  // on all ranks; it fails if any rank lacks memory. If ranks_per_node > 0, a node has at most that many
  // ranks; this tries out on one machine what several nodes would do.
  static Result<std::shared_ptr<Team>> acquire(MPI_Comm comm, int ranks_per_node);
  // Whether the team is kept when its communicator is freed, for another one of the same ranks. The same on
  // all ranks.
  bool may_be_spare() const { return may_be_spare_; }
  // Called before and after a part of MPI (epoch.h) ends. The first one gives back the teams that no file
  // uses. No team is kept between the two calls.
  static void part_ends();
  static void part_has_ended();
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  MPI_Comm comm() const { return comm_; }
  // One rank of every node, in the order of the nodes; MPI_COMM_NULL on all other ranks, and if there is only
  // one node.
  MPI_Comm leaders() const { return leaders_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  int node() const { return node_; }              // index of this rank's node
  int local_rank() const { return local_rank_; }  // number of this rank on its node; the leader is 0
  int local_size() const { return local_size_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  // How many cores the ranks of a node may use, on the node with the fewest; the same on all ranks.
  int cores() const { return cores_; }
  int ranks_per_node() const { return ranks_per_node_; }  // as given to acquire()
  // What is free on this node now, for a team that is used again. Asks the system at most once a second.
  int64_t free_bytes_now();
  // To be called on all ranks, which are on one node, with what one of them has found.
  void set_free_bytes(int64_t bytes) { nodes_.front().free_bytes = bytes; }

  // Success until a rank of the team is found to have ended; then an error of kind rank_lost. All ranks learn
  // of it sooner or later. From then on the team is useless: waiting ranks are woken, and meetings return at
  // once.
  Status failure() const;
  // Waits for other ranks of the node. Returns false if the team fails before they are done.
  // messages: some of this rank are under way that others wait for.
  bool wait(EventCounter& event, uint32_t target, bool messages = false);
  // Like MPI_Wait, but it also returns when the team fails. Then it returns an error code and the request is
  // not complete, so the memory that the request works on must not be freed (see abandon).
  int finish(MPI_Request& request);
  // Keeps what `owner` owns for ever, because MPI may still use it for a request that was given up. Takes no
  // memory: the new owner is never destroyed.
  template <typename T>
  static void abandon(T&& owner) {
    static_assert(!std::is_lvalue_reference_v<T>);
    alignas(T) std::byte place[sizeof(T)];
    new (place) T(std::forward<T>(owner));
  }

  // From now on the meetings of this rank are counted here; nullptr: nowhere.
  void count_meetings(Tally* meetings) { counted_ = meetings; }

  // Combines the values of all ranks; every rank gets the same result. T is plain data of at most
  // max_value_bytes, and combine() is associative and commutative. Like every meeting, this returns false,
  // and leaves the value as it was, if the team has failed.
  template <typename T>
  bool allreduce(T& value) {
    return reduce_bytes(&value, reduction_of<T>(), for_ever);
  }
  // The first meeting of a call. As long as a rank of this node is missing, the ranks that have come may
  // leave again. If this returns false and the team has not failed, this rank's patience has ended and it has
  // left. There must be no other meeting between two attempts.
  template <typename T>
  bool first_allreduce(T& value) {
    offer();
    const bool met = reduce_bytes(&value, reduction_of<T>(), patience_ns_);
    if (met) ++calls_;
    if (met) patience_ns_ = for_ever;
    return met;
  }
  static constexpr int64_t for_ever = INT64_MAX;
  // Sets the patience of the next first meeting. Once that meeting is held, later ones wait for ever again.
  void set_patience(int64_t ns) { patience_ns_ = ns; }
  // Announces that this rank is ready for the next call.
  void offer();
  // Whether all ranks of this node have announced that they are ready for the next call.
  bool all_offer() const;
  // Which ranks of this node have not come, while this rank waits in a first meeting. The result holds ranks
  // of the team.
  std::vector<int> missing() const;
  // Whether this rank is the lowest rank of its node that is ready for the next call.
  bool is_first_to_wait() const;
  // A function that is called once if this rank still waits at the time `at_ns`. A default Alarm never rings.
  struct Alarm {
    int64_t at_ns = for_ever;
    std::function<void()> ring;
  };
  void set_alarm(Alarm alarm) { alarm_ = std::move(alarm); }
  // The team's number, the same on all its ranks. All teams that a rank is in have different numbers.
  int64_t number() const { return number_; }
  // Lets MPI progress messages that other ranks wait for.
  void make_progress();
  // Like allreduce, over the ranks of this node alone.
  template <typename T>
  bool node_allreduce(T& value) {
    return reduce_node_bytes(&value, reduction_of<T>());
  }
  // Gathers the value of each node's leader into `all`, which already has one element for each node.
  // Collective over the team. Returns false, and leaves `all` empty, if the team has failed.
  template <typename T>
  bool gather_nodes(const T& mine, std::vector<T>& all) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= max_value_bytes);
    const bool met = gather_node_bytes(&mine, sizeof(T), reinterpret_cast<std::byte*>(all.data()));
    if (!met) abandon(std::exchange(all, {}));
    return met;
  }
  // A barrier over the ranks of this node.
  bool node_barrier();
  // Returns the sum of the values of all ranks below this one, and in `total` the sum over all ranks. Both
  // are zero if the team has failed.
  int64_t sum_below(int64_t mine, int64_t& total);

  // A number that all ranks share and that any rank may change alone. It is zero when the team is made. A
  // file that takes over a team sets the number before using it.
  SharedCounter& counter() { return counter_; }

  // The board on which this node's ranks announce their writes to the team's file.
  WritersBoard board() const;

  // Memory of at least `bytes` bytes that the ranks of a node share; zero-filled when new. Collective over
  // the team, with equal arguments on each node; it succeeds on all ranks or on none.
  Result<std::byte*> segment(int64_t bytes);
  int64_t segment_bytes() const { return segment_.size(); }
  // What of the segment this process has pinned; it changes with the segment.
  PinnedSlices& pinned_segment() { return segment_.pinned(); }
  // Gives back the segment. Called on all ranks alike.
  void give_back_segment();
  // The team may wait long for its next file, and gives back a segment that is not to be kept.
  void file_is_closed();

 private:
  struct Control;
  struct Resident;
  class Watch;
  struct Reduction {
    size_t bytes;
    void (*combine)(void* result, const void* other);
    BetweenNodes* between_nodes;
  };
  template <typename T>
  static Reduction reduction_of() {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= max_value_bytes);
    static BetweenNodes between{[](void* in, void* in_out, int* count, MPI_Datatype*) {
      for (int i = 0; i < *count; ++i) {
        T& result = static_cast<T*>(in_out)[i];
        result = combine(static_cast<const T*>(in)[i], result);
      }
    }};
    return {sizeof(T),
            [](void* result, const void* other) {
              T& a = *static_cast<T*>(result);
              a = combine(a, *static_cast<const T*>(other));
            },
            &between};
  }
  Team() = default;
  void become_spare_when_freed();
  void stop_being_spare();
  static bool a_part_is_ending();
  Status set_up(MPI_Comm comm, int ranks_per_node, bool on_one_machine);
  Status share_control(MPI_Comm node);
  Status learn_nodes(MPI_Comm node, Status mine);
  bool reduce_bytes(void* value, const Reduction& reduction, int64_t patience_ns);
  bool reduce_node_bytes(void* value, const Reduction& reduction);
  bool finish_between_nodes(int code, MPI_Request& request);
  bool gather_node_bytes(const void* mine, size_t bytes, std::byte* all);
  Result<SharedSegment> new_segment(int64_t bytes);
  Control& control() const;
  bool meet(FunctionRef<bool()> work, int64_t patience_ns = for_ever);
  void count_meeting(int more);
  bool wait_for_meeting(EventCounter& event, int64_t patience_ns);
  std::byte* slot(int local_rank) const;
  Resident& resident(int local_rank) const;
  void look_for_ended_ranks();
  void give_up_on(int64_t lost);
  void hear_of_lost_ranks();

  MPI_Comm comm_ = MPI_COMM_NULL, leaders_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, node_ = 0, local_rank_ = 0, local_size_ = 1, cores_ = 1, ranks_per_node_ = 0;
  int spins_ = 0, yields_ = 0;
  bool may_be_spare_ = false;
  std::vector<Node> nodes_;
  SharedSegment control_segment_, segment_;
  KeptSegment kept_segment_;  // of the first rank of a node, for all of them
  SharedCounter counter_;
  int64_t number_ = 0;
  int64_t patience_ns_ = for_ever;
  int64_t looked_at_memory_ns_ = 0;
  int64_t next_look_ns_ = 0;  // when a short wait next checks whether ranks still run
  Alarm alarm_;
  uint64_t calls_ = 0;     // how many calls have completed their first meeting
  uint64_t meetings_ = 0;  // how often this rank has passed the gate of the control segment
  Tally* counted_ = nullptr;
};

}  // namespace concilio::mpi
