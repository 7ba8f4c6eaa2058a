// What roots tell the other ranks of their groups about calls that roots may make alone. A root does not wait
// for these ranks, and tells them whether or not they ask. A rank that makes the call too learns its outcome
// from the notice. A rank that does not make it discards the notice in the next call that all ranks make.
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
};

class Notices {
 public:
  // On the root: sends the notice to the other ranks.
  void post(MPI_Comm local, const Notice& notice);
  // On the root, before a call that all ranks make: tells ranks that still wait for a notice that none will
  // come.
  void mark(MPI_Comm local);
  int64_t posted() const { return posted_; }

  // On the other ranks: returns the next notice of this call, or an error if the root has gone on to a call
  // that all ranks make. `waiting` is called again and again meanwhile.
  Result<Notice> await(MPI_Comm local, const std::string& call, FunctionRef<void()> waiting);
  // On the other ranks, in a call that all ranks make: receives and discards what the root posted before that
  // call, except notices that stay.
  void pass(MPI_Comm local, int64_t posted);

  // To be called before `local` is freed. Collective over it.
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

  std::list<Sent> sent_;  // whose memory MPI may still read
  int64_t posted_ = 0, seen_ = 0;
  bool marked_ = true;                    // no notice was posted since the last mark
  bool root_is_ahead_ = false;            // in a call of all ranks that this one has not made
  std::map<std::string, Notice> passed_;  // received notices that stay
};

}  // namespace concilio::scorpio
