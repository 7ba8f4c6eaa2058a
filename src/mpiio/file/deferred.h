// Nonblocking collective operations of a program without MPI_THREAD_MULTIPLE. No other thread may call MPI,
// and the call that starts the operation must not wait for other ranks. So the operation is kept, and carried
// out when the program makes a call that may wait: a wait, a test, or the next collective call on the file.
//
// While one rank waits for an operation of one file, another rank may wait for one of another file. Therefore
// a waiting rank offers to take part in the next operation of every file that has any, and takes part in an
// operation that all ranks of the node offer.
//
// A rank that has waited in vain for long settles its own part: it moves its data alone, which is all that
// the program waits for. MPI's rule of progress asks for this, as the others may be in calls of MPI that wait
// for this rank. Later it takes part in the operation without data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/function_ref.h"
#include "mpi/nodes/team.h"

namespace concilio::mpiio {

// The operations of one file, in the order in which the program has started them.
class Deferred {
 public:
  // Whoever adds an operation brings what is remembered of it, so that this needs no memory.
  class Operation {
   public:
    // Carries out the operation and returns true. Returns false, and nothing has happened, if
    // Team::first_allreduce finds that ranks are missing.
    virtual bool attempt() = 0;
    // Whether the operation, when it is the first, needs no other rank.
    virtual bool is_apart() const = 0;
    // Moves this rank's data without the others; then attempt() takes part without data. Returns false, and
    // nothing has happened, if this needs them.
    virtual bool settle() { return false; }
    // Is called when the operation is over, or will never be carried out. It may end the operation's life.
    virtual void let_go() noexcept {}

   protected:
    Operation() = default;
    Operation(const Operation&) = delete;
    ~Operation() = default;

   private:
    friend class Deferred;
    Operation* next_ = nullptr;
  };
  // An operation whose caller waits for it.
  class Here final : public Operation {
   public:
    Here(FunctionRef<bool()> attempt, FunctionRef<bool()> is_apart)
        : attempt_(attempt), is_apart_(is_apart) {}
    bool attempt() override { return attempt_(); }
    bool is_apart() const override { return is_apart_(); }

   private:
    FunctionRef<bool()> attempt_, is_apart_;
  };

  Deferred() = default;
  Deferred(const Deferred&) = delete;
  ~Deferred();

  // Adds an operation, which must live until it is let go, and returns its number: 1, 2 and so on. The team
  // must outlive this object.
  uint64_t add(mpi::Team& team, Operation& operation);
  size_t waiting() const { return waiting_; }
  // Of those, the ones in which this rank still has a part.
  size_t unsettled() const { return waiting_ - (std::max(settled_, done_) - done_); }
  uint64_t last() const { return done_ + waiting_; }
  // Returns when operation `number`, and therefore every one before it, is done.
  void finish(uint64_t number);
  // Returns when this rank has no part left in operation `number` and in those before it.
  void finish_part(uint64_t number);
  // Whether operation `number` is done, after doing what can be done now. Returns soon if ranks have not come
  // yet.
  bool test(uint64_t number);

 private:
  bool has_no_part(uint64_t number) const { return done_ >= number || settled_ >= number; }
  void settle_after(int64_t patience_ns);
  void try_first(int64_t patience_ns);
  static bool step(Deferred& wanted, int64_t patience_ns);
  bool attempt(int64_t patience_ns);
  bool first_is_apart() const { return first_->is_apart(); }
  void drop_first();
  void enlist();
  void withdraw();
  bool within_a_node() const { return team_->nodes().size() == 1; }

  mpi::Team* team_ = nullptr;
  Operation* first_ = nullptr;
  Operation* last_operation_ = nullptr;
  size_t waiting_ = 0;
  uint64_t done_ = 0;
  uint64_t settled_ = 0;        // up to this number this rank has no data left to move
  int64_t waits_since_ns_ = 0;  // when the program first asked for the next of them; 0: not yet
  bool has_settled_ = false;    // on this file: so the program is likely to make it necessary again
  int tests_in_vain_ = 0;
  // The list of all files that have operations, ordered by the numbers of their teams, which are the same on
  // all ranks. It needs no lock, because the program makes one call at a time.
  static Deferred* files_with_work_;
  Deferred* next_file_ = nullptr;
  bool ready_ = false;  // a file within a node: all its ranks are ready for its first operation
};

}  // namespace concilio::mpiio
