// What roots tell the other ranks of their groups about calls that roots may make alone. A root does not wait
// for these ranks, and tells them whether or not they ask. A rank that makes the call too learns its outcome
// from the notice. A rank that does not make it discards the notice in the next call that all ranks make.
//
// These calls of all ranks are the clock: every rank counts those that it has begun, whatever came of them,
// and every notice carries its root's count. So a rank knows which notices are from before the last of them,
// and that its root has gone on to the next.
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
  std::string call;    // the same text on all ranks that make it
  Status outcome;      // with a short text, which MPI sends at once
  int64_t value = 0;   // an id that the call returns
  bool stays = false;  // kept for ranks that make the call after the next call of all ranks
  int group = 0;       // the number of the I/O group
};

class Notices {
 public:
  // On all ranks, when they begin a call that all ranks of the communicator make.
  void begin_call() { ++calls_; }

  // On the root: sends the notice to the other ranks.
  void post(MPI_Comm local, const Notice& notice);
  // On the root, in a call that all ranks make: tells ranks that still wait for a notice that none will come.
  void mark(MPI_Comm local);

  // On the other ranks: returns the next notice of this call, or an error if the root has gone on to a call
  // that all ranks make. `waiting` is called again and again meanwhile.
  Result<Notice> await(MPI_Comm local, const std::string& call, FunctionRef<void()> waiting);
  // On the other ranks, in a call that all ranks make: receives what has come, and discards it, except
  // notices that stay. What comes later is recognised by its count.
  void discard(MPI_Comm local);

  // Forgets the notices that stay of an I/O group that ends. Collective over `local`.
  void forget(MPI_Comm local, int group);
  // To be called before `local` is freed. Collective over it.
  void end(MPI_Comm local);

 private:
  struct Sent {
    std::vector<char> bytes;
    std::vector<MPI_Request> requests;
  };
  struct Received {
    Notice notice;      // without a call: a mark
    int64_t calls = 0;  // the root's count when it sent it
  };
  void send(MPI_Comm local, std::vector<char> bytes);
  bool receive(MPI_Comm local, Received& next);
  Received receive_next(MPI_Comm local, FunctionRef<void()> waiting);
  void receive_all(MPI_Comm local);
  void keep(Notice notice);

  std::list<Sent> sent_;  // whose memory MPI may still read
  int64_t sent_count_ = 0, received_count_ = 0;
  int64_t calls_ = 0;                     // of all ranks, which this rank has begun
  int64_t root_calls_ = 0;                // the same for the root, as far as this rank has heard of it
  std::map<std::string, Notice> passed_;  // received notices that stay
};

}  // namespace concilio::scorpio
