// Work beside a rank's own. This belongs to base/waiting.h: the flavour for a simulator links another
// definition.
#pragma once

#include "base/system/strand.h"

namespace concilio {

// Runs the task beside the calling rank, which goes on: on a thread, or as an actor of the rank's node. A rank
// has one such task at a time. If the system gives no thread, it runs before this returns.
void run_beside(Strand& strand, Strand::Task& task);

}  // namespace concilio
