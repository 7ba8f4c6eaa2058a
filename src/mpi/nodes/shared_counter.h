// A number that lies with rank 0 of a communicator and that any rank may change alone, whatever the others
// are doing: the shared file pointer. On one node it is an atomic in memory that the ranks share. Between
// nodes rank 0's process answers over TCP (counter_service.h) and not by MPI's one-sided operations: those
// wait for rank 0's next MPI call, and Open MPI 4 has none over TCP where the program has threads.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/result.h"

namespace concilio {

class CounterClient;
class OfferedCounter;

class SharedCounter {
 public:
  SharedCounter();
  ~SharedCounter();
  SharedCounter(const SharedCounter&) = delete;

  // Collective over comm. `on_node`: the number itself, where all ranks share memory; else nullptr.
  // A rank 0 that cannot answer others is no failure yet: those who ask are told why.
  Status set_up(MPI_Comm comm, std::atomic<int64_t>* on_node);

  // Adds, and returns what it was before. Thread-safe. Kind `communication` where rank 0 does not answer.
  Result<int64_t> add(int64_t more);
  Result<int64_t> get() { return add(0); }
  Result<int64_t> set(int64_t value);

 private:
  std::atomic<int64_t>* here_ = nullptr;
  std::unique_ptr<OfferedCounter> offered_;  // rank 0's, if there are other nodes
  std::unique_ptr<CounterClient> client_;    // the others'
};

}  // namespace concilio
