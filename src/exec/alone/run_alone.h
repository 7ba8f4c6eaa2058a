// Carries out the request of one rank by a method that needs no other rank.
#pragma once

#include "exec/call/running_call.h"
#include "plan/plan.h"

namespace concilio::exec {

// Whether the request is contiguous both in the file and in memory: it is then a single request to storage,
// and there is nothing to plan.
bool is_one_stretch(const Request& request);
// Whether plan_of_one_stretch() serves the request: it is one stretch, or it is contiguous in the file and so
// small that planning would take longer than to pack it.
bool needs_no_plan(const Request& request);
// Whether a request of one stretch needs no lock, so that a write is announced on the board at most.
bool needs_no_lock(const OpenFile& opened, Operation operation);

// Carries out the plan's method, which must not be a collective one.
Outcome run_alone(const RunningCall& call, const Request& request, const plan::Plan& plan);

}  // namespace concilio::exec
