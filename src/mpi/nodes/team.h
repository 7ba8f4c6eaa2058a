// The ranks of one communicator as exec sees them: our own duplicate of it, who shares a node with whom, and
// the memory and synchronisation of a node. Made once per communicator and kept as an attribute on it.
//
// On a node, ranks meet through shared memory and futexes (Gate); only one rank a node, its leader, takes
// part in the messages that join the nodes.
#pragma once

#include <mpi.h>

#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "base/process.h"
#include "base/result.h"
#include "mpi/epoch.h"
#include "mpi/nodes/futex.h"
#include "mpi/nodes/shared_counter.h"
#include "mpi/nodes/shared_segment.h"
#include "mpi/nodes/writers_board.h"

namespace concilio {

// How values of one type are combined between nodes: an MPI operation and datatype, made when they are first
// needed in an epoch.
struct BetweenNodes {
  struct Made {
    MPI_Op operation = MPI_OP_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    BetweenNodes* next = nullptr;  // of those that have been made
  };
  MPI_User_function* function;
  OfEpoch<Made> made{};
};

class Team {
 public:
  // One node of the team. The first few of its ranks are known to all: they may aggregate and carry messages.
  struct Node {
    int ranks = 0;
    std::vector<int> candidates;  // ranks of the team, lowest first
    int64_t free_bytes = 0;       // when the team was made
  };
  static constexpr int max_candidates = 8;
  // The largest value that allreduce takes, bytes.
  static constexpr int64_t max_value_bytes = 8192;

  // A team for `comm` that no other open file is using; collective over comm. ranks_per_node > 0 makes nodes
  // of at most so many ranks (to try on one machine what several would do).
  static Result<std::shared_ptr<Team>> acquire(MPI_Comm comm, int ranks_per_node);
  // Around the end of a part of MPI (epoch.h): the teams that no file uses are given back, and none is kept
  // until that part has ended.
  static void part_ends();
  static void part_has_ended();
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  MPI_Comm comm() const { return comm_; }
  MPI_Comm leaders() const { return leaders_; }  // one rank of every node, by node; of leaders only
  int rank() const { return rank_; }
  int size() const { return size_; }
  int node() const { return node_; }              // index of this rank's node
  int local_rank() const { return local_rank_; }  // on its node; the leader is 0
  int local_size() const { return local_size_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  int cores() const { return cores_; }  // that a node's ranks may use; the same on all ranks

  // Ok until a rank of the team is found to have ended (kind rank_lost). From then on, on all ranks sooner or
  // later, the team is of no use: whoever waits is woken, and meetings end at once.
  Status failure() const;
  // Waits for what other ranks of the node do; false: the team has failed before it was done.
  bool wait(EventCounter& event, uint32_t target);
  // MPI_Wait, which no failed team keeps waiting: an error code then, and the request is still there, so that
  // what it works on must stay (abandon).
  int finish(MPI_Request& request);
  // Memory that MPI may still use for a request that was given up.
  template <typename T>
  static void abandon(T&& memory) {
    (void)new std::decay_t<T>(std::forward<T>(memory));
  }

  // The combination of all ranks' values, the same on every rank. T: plain data of at most max_value_bytes;
  // combine: associative, commutative. This and the other meetings: false, and the value stays as it was, if
  // the team has failed.
  template <typename T>
  bool allreduce(T& value) {
    return reduce_bytes(&value, reduction_of<T>(), for_ever);
  }
  // The first meeting of a call: as long as a rank of this node is missing, those who have come may go away
  // again. False, where the team has not failed: this rank has, out of patience. No other meeting is between
  // two tries.
  template <typename T>
  bool first_allreduce(T& value) {
    offer();
    const bool met = reduce_bytes(&value, reduction_of<T>(), patience_ns_);
    if (met) ++calls_;
    if (met) patience_ns_ = for_ever;
    return met;
  }
  static constexpr int64_t for_ever = INT64_MAX;
  // Of the next first meeting; once it is held, the ones after that have patience.
  void set_patience(int64_t ns) { patience_ns_ = ns; }
  // This rank is ready for the next call.
  void offer();
  // Whether all ranks of this node have been, at some time.
  bool all_offer() const;
  // While this rank waits in a first meeting: the team's ranks of this node that have not come to it.
  std::vector<int> missing() const;
  // Whether this rank is the lowest of its node that has.
  bool is_first_to_wait() const;
  // To be called once if a wait of this rank lasts until then; a default one: never.
  struct Alarm {
    int64_t at_ns = for_ever;
    std::function<void()> ring;
  };
  void set_alarm(Alarm alarm) { alarm_ = std::move(alarm); }
  // Another one for every team that a rank is in; the same on all ranks.
  int64_t number() const { return number_; }
  // Lets the MPI move messages that other ranks wait for.
  void make_progress();
  // The same over the ranks of this node alone.
  template <typename T>
  bool node_allreduce(T& value) {
    return reduce_node_bytes(&value, reduction_of<T>());
  }
  // One value of every node, that of its leader, into `all`, which has a place for each. Collective over the
  // team. False, and nothing is left of `all`, if that has failed.
  template <typename T>
  bool gather_nodes(const T& mine, std::vector<T>& all) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= max_value_bytes);
    const bool met = gather_node_bytes(&mine, sizeof(T), reinterpret_cast<std::byte*>(all.data()));
    if (!met) abandon(std::exchange(all, {}));
    return met;
  }
  // No rank of the node leaves before all have come.
  bool node_barrier();
  // The sum of the values of the ranks below this one, and in `total` of all ranks. Zeros if the team has
  // failed.
  int64_t sum_below(int64_t mine, int64_t& total);

  // A number that all ranks share and any rank may change alone. Zero when the team is made; who uses the
  // team for something new sets it first.
  SharedCounter& counter() { return counter_; }

  // Where this node's ranks announce their writes to the team's file.
  WritersBoard board() const;

  // Memory that the ranks of a node share, at least `bytes` of it; zero-filled when new. Collective over the
  // team, with equal arguments on each node; all ranks succeed or all fail.
  Result<std::byte*> segment(int64_t bytes);
  int64_t segment_bytes() const { return segment_.size(); }
  // The file that the segment was for is closed; on all ranks alike. The team may wait long for another one.
  void give_back_segment();

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
  Status set_up(MPI_Comm comm, int ranks_per_node);
  Status share_control();
  Status learn_nodes();
  bool reduce_bytes(void* value, const Reduction& reduction, int64_t patience_ns);
  bool reduce_node_bytes(void* value, const Reduction& reduction);
  bool finish_between_nodes(int code, MPI_Request& request);
  bool gather_node_bytes(const void* mine, size_t bytes, std::byte* all);
  Result<SharedSegment> new_segment(int64_t bytes);
  Control& control() const;
  bool meet(FunctionRef<bool()> work, int64_t patience_ns = for_ever);
  bool wait_for_meeting(EventCounter& event, int64_t patience_ns);
  std::byte* slot(int local_rank) const;
  Resident& resident(int local_rank) const;
  void look_for_ended_ranks();
  void give_up_on(int64_t lost);
  void hear_of_lost_ranks();

  MPI_Comm comm_ = MPI_COMM_NULL, node_comm_ = MPI_COMM_NULL, leaders_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, node_ = 0, local_rank_ = 0, local_size_ = 1, cores_ = 1, ranks_per_node_ = 0;
  int spins_ = 0;
  std::vector<Node> nodes_;
  SharedSegment control_segment_, segment_;
  SharedCounter counter_;
  int64_t number_ = 0;
  int64_t patience_ns_ = for_ever;
  Alarm alarm_;
  uint64_t calls_ = 0;     // whose first meeting is over
  uint64_t meetings_ = 0;  // how often this rank has been through the gate of the control segment
};

}  // namespace concilio
