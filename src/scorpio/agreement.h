// What all ranks of a communicator know alike of a call: that their arguments agree, and whether it failed.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <new>
#include <string>

#include "base/result.h"

namespace concilio::scorpio {

// All get the outcome of the lowest rank that failed, or success. Collective; one reduction where all is
// well.
Status agree(MPI_Comm comm, const Status& mine);

// The same, and an error if `call`, a description of the call and of its arguments that must be the same on
// all ranks, differs. Collective; one reduction where all is well.
Status agree_on(MPI_Comm comm, const std::string& call, const Status& mine);

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

// The error of an MPI call, or success.
Status checked(int code, const char* what);

// `text` of rank `root` for all of `comm`. For messages and other short texts.
Status share(MPI_Comm comm, int root, std::string& text);

}  // namespace concilio::scorpio
