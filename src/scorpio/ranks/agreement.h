// All ranks of a communicator agree about a call: whether their arguments match, and whether it failed.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "mpi/error.h"
#include "scorpio/ranks/small_collectives.h"

namespace concilio::scorpio {

// Gives all ranks the outcome of the lowest rank that failed, or success. Collective. It takes one reduction
// if no rank failed.
Status agree(MPI_Comm comm, const Status& mine);

// The ranks that make a call together. If some of them do not come for a while, a message on stderr tells
// which rank waits, in which call, and for which ranks.
struct Party {
  MPI_Comm comm;
  std::string where;                        // the file, if the call is about one
  const std::vector<int>* names = nullptr;  // its ranks as the program numbers them; null: as `comm` does
};
Complaint complaint_of(const Party& party, const std::string& call);
// Writes the same message for a rank that waits for its root, rank 0 of the party. The rank calls this object
// again and again while it waits.
class Waiting {
 public:
  Waiting(Party root, std::string call);
  void operator()();

 private:
  Party root_;
  std::string call_;
  int64_t end_ns_;
};

// Does what agree does, and also checks that `call` is the same on all ranks. `call` describes the call and
// those of its arguments that must be the same; a difference is an error. Every call that ranks make together
// begins with this. `late` is called once if this rank waits for others for a while (late_ns). Collective. It
// takes one reduction if all is well.
Status agree_on(const Party& party, const std::string& call, const Status& mine,
                const std::function<void()>& late = {});

// Gives `text` of rank `root` to all ranks of `comm`. Collective. It is meant for messages and other short
// texts.
Status share(MPI_Comm comm, int root, std::string& text);

}  // namespace concilio::scorpio
