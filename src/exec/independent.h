// The methods that one rank carries out alone.
#pragma once

#include "exec/running_call.h"
#include "plan/plan.h"

namespace concilio {

// Every contiguous piece straight between the user's buffer and the file, in vectors of requests. Any access.
Outcome run_list(const RunningCall& call, const Request& request);

// Data sieving (ROMIO, section 3): large requests that take the holes along, through a buffer of
// `buffer_bytes`. Writes read what they do not cover, under a lock; where somebody else may be writing there
// without one (exec/locks/rewriting.h), they go on as a list. The file access must be monotone.
Outcome run_sieve(const RunningCall& call, const Request& request, int64_t buffer_bytes);

// Whether the request is one stretch of the file and of memory: one request to storage, with nothing to plan.
bool is_one_stretch(const Request& request);
// What plan() would come to for such a request alone, without its prices.
const Plan& plan_of_one_stretch();

// The method of the plan, which is none of the collective ones.
Outcome run_alone(const RunningCall& call, const Request& request, const Plan& plan);

}  // namespace concilio
