// Nonblocking operations as MPI sees them: generalized requests. MPI's wait and test functions complete them,
// but give an error of theirs to no file's error handler, and MPICH and Open MPI end the program for it: so
// ours succeed as far as MPI knows, and our entry points of the wait and test functions (bind) add the error
// afterwards.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "mpiio/file.h"

namespace concilio::mpiio {

struct PendingRequest;

// A request that complete() completes, from whichever thread.
class NonblockingRequest {
 public:
  // An MPI error code other than MPI_SUCCESS if MPI makes none.
  static int make(File& file, const char* function, MPI_Request* request, NonblockingRequest* made);
  void complete(const Outcome& outcome) const;
  // Of what is deferred (File::deferred).
  void set_number(uint64_t number) const;

 private:
  std::shared_ptr<PendingRequest> pending_;
};

// Whether any request of ours is not yet completed: MPI's functions need no help otherwise. False on the
// pool's threads, which wait for none.
bool has_requests();

// Around one call of MPI's that waits for requests or tests them. Which of them MPI has completed it sees
// from their handles: MPI's callbacks of generalized requests run on either thread, and for requests that are
// not completed too.
class WaitCall {
 public:
  // The handles must stay where they are.
  WaitCall(int count, const MPI_Request* requests);
  ~WaitCall();
  WaitCall(const WaitCall&) = delete;

  // Carries out those of them that are deferred, and sleeps until all are done, if all are ours: MPI's own
  // wait would take a core from the work waited for.
  void sleep();
  // Carries out what is deferred of them and other ranks have come to. Whether any is left.
  bool attempt();
  // What the program gets: `code`, or the error of one of our requests that the call has completed, given to
  // its file's error handler first. One request at most:
  int outcome(int code);
  // Several: MPI_ERR_IN_STATUS then, with the codes in the statuses. Request indices[i] completed with
  // statuses[i]; without indices, request i.
  int outcome(int code, MPI_Status* statuses, int completed, const int* indices);

 private:
  struct Ours;
  std::vector<Ours> failed() const;
  const MPI_Request* requests_;
  std::vector<Ours> ours_;
  int others_ = 0;  // requests that are MPI's own
};

}  // namespace concilio::mpiio
