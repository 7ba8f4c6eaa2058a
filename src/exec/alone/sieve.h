// Data sieving (ROMIO, section 3): large requests, which include the holes, through a buffer.
#pragma once

#include "exec/call/running_call.h"

namespace concilio::exec {

// Sieves through a buffer of `buffer_bytes`. A write reads the bytes between its pieces under a lock. If
// others may be writing there without a lock (exec/locks/rewriting.h), the remaining data are written piece
// by piece, as by list. The file access must be monotone.
Outcome sieve(const RunningCall& call, const Request& request, int64_t buffer_bytes);

}  // namespace concilio::exec
