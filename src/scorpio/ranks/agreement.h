// What all ranks of a communicator know alike of a call: that their arguments agree, and whether it failed.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "base/result.h"
#include "mpi/error.h"
#include "scorpio/ranks/small_collectives.h"

namespace concilio::scorpio {

// All get the outcome of the lowest rank that failed, or success. Collective; one reduction where all is
// well.
Status agree(MPI_Comm comm, const Status& mine);

// Ranks that make a call together. If some of them do not come for a while, stderr tells who waits, in which
// call, for whom.
struct Party {
  MPI_Comm comm;
  std::string where;                        // the file, if it is about one
  const std::vector<int>* names = nullptr;  // its ranks as the program numbers them; null: as `comm` does
};
Complaint complaint_of(const Party& party, const std::string& call);
// The same for a rank that waits for its root, rank 0 of the party: to be called while it waits.
class Waiting {
 public:
  Waiting(Party root, std::string call);
  void operator()();

 private:
  Party root_;
  std::string call_;
  int64_t end_ns_;
};

// As agree, and an error if `call`, a description of the call and of its arguments that must be the same on
// all ranks, differs; with what a call begins. `highest` becomes the highest of all. Collective; one
// reduction where all is well.
Status agree_on(const Party& party, const std::string& call, const Status& mine, int64_t* highest = nullptr);

// What `work` -> Status comes to, also if it throws: a rank must not leave a call that others are in.
template <typename Work>
Status caught(Work work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::no_memory, 0, "out of memory"};
  } catch (const std::exception& thrown) {
    return Error{ErrorKind::other, 0, thrown.what()};
  }
}

// `text` of rank `root` for all of `comm`. For messages and other short texts.
Status share(MPI_Comm comm, int root, std::string& text);

}  // namespace concilio::scorpio
