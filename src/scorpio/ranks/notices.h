// What roots tell the other ranks of their groups of calls that roots may make alone: without waiting for
// them, and whether they ask or not. A rank that makes the call too gets what came of it; one that does not
// passes over it in the next call that all ranks make.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "base/result.h"

namespace concilio::scorpio {

struct Notice {
  std::string call;    // what ranks that make it too call it
  Status outcome;      // with few words: a message that needs no answer is short
  int64_t value = 0;   // an id that the call returns
  bool stays = false;  // also for ranks that make the call later than the next one of all
};

class Notices {
 public:
  // On the root.
  void post(MPI_Comm local, const Notice& notice);
  // On the root, before a call that all ranks make: who still waits for a notice waits in vain.
  void mark(MPI_Comm local);
  int64_t posted() const { return posted_; }

  // On the others. The next notice of this call; an error if the root has gone on to a call that all ranks
  // make. `waiting` is called every now and then.
  Result<Notice> await(MPI_Comm local, const std::string& call, FunctionRef<void()> waiting);
  // In a call that all ranks make: passes over what the root had posted before it.
  void pass(MPI_Comm local, int64_t posted);

  // Before `local` is freed. Collective over it.
  void end(MPI_Comm local);

 private:
  struct Sent {
    std::vector<char> bytes;
    std::vector<MPI_Request> requests;
  };
  struct Received {
    Notice notice;
    bool mark = false;
  };
  void send(MPI_Comm local, std::vector<char> bytes);
  bool receive(MPI_Comm local, Received& next);
  Received receive_next(MPI_Comm local, FunctionRef<void()> waiting);

  std::list<Sent> sent_;  // that MPI may still use
  int64_t posted_ = 0, seen_ = 0;
  bool marked_ = true;                    // no notice since the last mark
  bool root_is_ahead_ = false;            // at a call of all ranks that this one has not come to
  std::map<std::string, Notice> passed_;  // those that stay
};

}  // namespace concilio::scorpio
