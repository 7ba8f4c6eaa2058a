// Data sieving (ROMIO, section 3): large requests, which include the holes, through a buffer.
#pragma once

#include "exec/running_call.h"

namespace concilio {

// Uses a buffer of `buffer_bytes`. A write reads what it does not cover, under a lock. If somebody else may
// be writing there without a lock (exec/locks/rewriting.h), the rest is written as by list. The file access
// must be monotone.
Outcome sieve(const RunningCall& call, const Request& request, int64_t buffer_bytes);

}  // namespace concilio
