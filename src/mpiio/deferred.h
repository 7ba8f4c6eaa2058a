// Collective operations of a program without MPI_THREAD_MULTIPLE: no other thread may call MPI, and the call
// that starts one must not wait for other ranks. So it is kept, and carried out when the program is in a call
// that may wait: a wait or a test, or the next collective call on the file.
//
// While a rank waits for one file's operation, others may wait for another file's. So who waits offers to
// take part in the next operation of every file that has some, and takes part in what all ranks of the node
// offer.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "mpi/team.h"

namespace concilio::mpiio {

// The operations of one file, in the order in which the program has started them.
class Deferred {
 public:
  // Carries the operation out, unless Team::first_allreduce finds that ranks are missing: false then, and
  // nothing has happened.
  using Operation = std::function<bool()>;

  Deferred() = default;
  Deferred(const Deferred&) = delete;
  ~Deferred();

  // Its number: 1, 2, ... The team must outlive it.
  uint64_t add(Team& team, Operation operation);
  size_t waiting() const { return waiting_.size(); }
  uint64_t last() const { return done_ + waiting_.size(); }
  // Returns when operation `number`, and so all before it, is done.
  void finish(uint64_t number);
  // Whether it is done; what can be done is done first. Soon back where ranks have not come yet.
  bool test(uint64_t number);

 private:
  static bool step(Deferred& wanted, int64_t patience_ns);
  bool attempt(int64_t patience_ns);
  void drop_first();
  bool within_a_node() const { return team_->nodes().size() == 1; }

  Team* team_ = nullptr;
  std::deque<Operation> waiting_;
  uint64_t done_ = 0;
  int tests_in_vain_ = 0;
};

}  // namespace concilio::mpiio
