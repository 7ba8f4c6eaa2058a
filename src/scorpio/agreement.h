// What all ranks of a communicator know alike of a call: that their arguments agree, and whether it failed.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "base/result.h"

namespace concilio::scorpio {

// All get the outcome of the lowest rank that failed, or success. Collective; one reduction where all is
// well.
Status agree(MPI_Comm comm, const Status& mine);

// The same, and an error if `call`, a description of the call and of its arguments that must be the same on
// all ranks, differs. Collective; one reduction where all is well.
Status agree_on(MPI_Comm comm, const std::string& call, const Status& mine);

// The error of an MPI call, or success.
Status checked(int code, const char* what);

// `text` of rank `root` for all of `comm`. For messages and other short texts.
Status share(MPI_Comm comm, int root, std::string& text);

}  // namespace concilio::scorpio
