// The beginning of every call that all ranks of a communicator make.
#pragma once

#include <string>

#include "base/result.h"
#include "scorpio/ranks/agreement.h"

namespace concilio::scorpio {

// The ranks agree on the call (agree_on). What roots have told their groups about calls of the roots alone is
// then out of date, and a rank that waits for more is told that nothing comes. This holds for all layouts of
// the communicator: the rank may wait in a call on another file. `all.comm` is what own_communicator gives.
Status begin_together(const Party& all, const std::string& call, const Status& mine);

}  // namespace concilio::scorpio
