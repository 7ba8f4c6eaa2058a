// A number that is stored at rank 0 of a communicator. Any rank may change it alone, whatever the other ranks
// are doing. It serves as the shared file pointer. On one node it is an atomic in memory that the ranks
// share. Between nodes rank 0's process answers requests over TCP (counter_service.h). MPI's one-sided
// operations would not do: they wait for rank 0's next MPI call, and Open MPI 4 has none over TCP if the
// program has threads.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/result.h"

namespace concilio::counter {
class CounterClient;
class OfferedCounter;
}  // namespace concilio::counter

namespace concilio::mpi {

class SharedCounter {
 public:
  SharedCounter();
  ~SharedCounter();
  SharedCounter(const SharedCounter&) = delete;

  // Collective over comm, with the same outcome on all ranks. `on_node` is the number itself if all ranks
  // share memory, else nullptr. If rank 0 cannot answer other ranks, set_up() still succeeds; ranks that ask
  // later get an error with the reason. It fails if a rank lacks memory.
  Status set_up(MPI_Comm comm, std::atomic<int64_t>* on_node);

  // Whether it is in memory of this process, so that add() cannot fail.
  bool is_here() const { return here_ != nullptr; }
  // Adds `more` and returns the value before. Thread-safe. Returns an error of kind `communication` if rank 0
  // does not answer.
  Result<int64_t> add(int64_t more);
  Result<int64_t> get() { return add(0); }
  Result<int64_t> set(int64_t value);
  // Whether this rank has given the counter another value than zero. If no rank has, it is zero.
  bool moved_here() const { return moved_here_; }
  // The counter has been set to zero, unless another rank says that it has given it another value since.
  void is_zero() { moved_here_ = false; }

 private:
  std::atomic<bool> moved_here_ = false;
  std::atomic<int64_t>* here_ = nullptr;
  std::unique_ptr<counter::OfferedCounter> offered_;  // on rank 0 if there are several nodes
  std::unique_ptr<counter::CounterClient> client_;    // on all other ranks then
};

}  // namespace concilio::mpi
