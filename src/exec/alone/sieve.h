// Data sieving (ROMIO, section 3): large requests that take the holes along, through a buffer.
#pragma once

#include "exec/running_call.h"

namespace concilio {

// With a buffer of `buffer_bytes`. Writes read what they do not cover, under a lock; where somebody else may
// be writing there without one (exec/locks/rewriting.h), they go on as a list. The file access must be
// monotone.
Outcome sieve(const RunningCall& call, const Request& request, int64_t buffer_bytes);

}  // namespace concilio
