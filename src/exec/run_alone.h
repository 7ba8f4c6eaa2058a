// Carries out the request of one rank by a method that needs no other rank.
#pragma once

#include "exec/running_call.h"
#include "plan/plan.h"

namespace concilio {

// Whether the request is contiguous both in the file and in memory: it is then a single request to storage,
// and there is nothing to plan.
bool is_one_stretch(const Request& request);

// Whether such requests are a single request to storage and need no lock, except that writes are announced on
// the board.
bool needs_no_lock(const OpenFile& opened, Operation operation);

// Carries out the plan's method, which must not be a collective one.
Outcome run_alone(const RunningCall& call, const Request& request, const Plan& plan);

}  // namespace concilio
