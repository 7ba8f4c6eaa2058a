// Collective operations of a program without MPI_THREAD_MULTIPLE: no other thread may call MPI, and the call
// that starts one must not wait for other ranks. So it is kept, and carried out when the program is in a call
// that may wait: a wait or a test, or the next collective call on the file.
//
// While a rank waits for one file's operation, others may wait for another file's. So who waits offers to
// take part in the next operation of every file that has some, and takes part in what all ranks of the node
// offer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "mpi/nodes/team.h"

namespace concilio::mpiio {

// The operations of one file, in the order in which the program has started them.
class Deferred {
 public:
  struct Operation {
    // Carries it out, unless Team::first_allreduce finds that ranks are missing: false then, and nothing has
    // happened.
    std::function<bool()> run;
    bool owned = false;
    Operation* next = nullptr;
  };

  Deferred() = default;
  Deferred(const Deferred&) = delete;
  ~Deferred();

  // Its number: 1, 2, ... The team must outlive it, and so must an operation that is lent, so that to wait
  // for it needs no memory.
  uint64_t add(Team& team, Operation& lent);
  uint64_t add(Team& team, std::unique_ptr<Operation> operation);
  size_t waiting() const { return waiting_; }
  uint64_t last() const { return done_ + waiting_; }
  // Returns when operation `number`, and so all before it, is done.
  void finish(uint64_t number);
  // Whether it is done; what can be done is done first. Soon back where ranks have not come yet.
  bool test(uint64_t number);

 private:
  static bool step(Deferred& wanted, int64_t patience_ns);
  bool attempt(int64_t patience_ns);
  void drop_first();
  void enlist();
  void withdraw();
  bool within_a_node() const { return team_->nodes().size() == 1; }

  Team* team_ = nullptr;
  Operation* first_ = nullptr;
  Operation* last_operation_ = nullptr;
  size_t waiting_ = 0;
  uint64_t done_ = 0;
  int tests_in_vain_ = 0;
  // Whose operations wait, by the numbers of their teams, which are the same on all ranks. No lock: calls of
  // such a program follow one another.
  static Deferred* files_with_work_;
  Deferred* next_file_ = nullptr;
  bool ready_ = false;  // all ranks of the node have come for it
};

}  // namespace concilio::mpiio
