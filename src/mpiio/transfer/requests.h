// Nonblocking operations as generalized requests of MPI. MPI's wait and test functions complete these
// requests, but do not pass an error of one to a file's error handler; MPICH and Open MPI end the program
// instead. Therefore Concilio's requests always succeed as far as MPI knows, and Concilio's entry points of
// the wait and test functions (bind) add the error afterwards.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <vector>

#include "mpiio/file/call_record.h"
#include "mpiio/transfer/started.h"

namespace concilio::mpiio {

// Has MPI make a request for the call. Returns false if MPI cannot make one.
bool make_request(const std::shared_ptr<Started>& started, MPI_Request* request);

// Whether any request of Concilio is not yet completed; without one, MPI's functions need no help. False on
// threads of the pool, which wait for no requests.
bool has_requests();

// Surrounds one call of MPI that waits for requests or tests them. It sees from the handles which requests
// MPI has completed: the callbacks of generalized requests do not tell, because MPI may run them on any
// thread, and also for requests that are not completed.
class WaitCall {
 public:
  // The array of handles must stay where it is.
  WaitCall(int count, const MPI_Request* requests);
  WaitCall(const WaitCall&) = delete;

  // Carries out those operations that are deferred. Then waits until all of Concilio's requests are done,
  // because MPI's own wait would take a core away from the work that it waits for.
  void sleep();
  // Carries out those deferred operations that the other ranks have come to. Returns whether any is left.
  bool attempt();
  // Returns what the program receives: `code`, or the error of one of Concilio's requests that the call has
  // completed. The error is passed to the file's error handler first. This form is for calls that complete at
  // most one request.
  int outcome(int code);
  // The form for calls that complete several requests. If one of them failed, it returns MPI_ERR_IN_STATUS
  // and puts the codes into the statuses. Request indices[i] completed with statuses[i], or request i if
  // `indices` is null.
  int outcome(int code, MPI_Status* statuses, int completed, const int* indices);

 private:
  struct Ours {
    int index;
    int64_t team_between_nodes;  // by which they are sorted
    std::shared_ptr<Started> started;
  };
  bool has_failed(const Ours& ours) const;
  void record_completed() const;
  const MPI_Request* requests_;
  // To wait for a few requests takes no memory, and so it cannot fail for want of it.
  std::array<std::byte, 320> room_;
  std::pmr::monotonic_buffer_resource memory_{room_.data(), room_.size()};
  std::pmr::vector<Ours> ours_{&memory_};
  std::optional<CallRecord::Timing> timing_;  // if calls are recorded
  int others_ = 0;                            // how many of the requests are MPI's own
};

}  // namespace concilio::mpiio
