// What one rank carries out alone: its request, by the method of the plan.
#pragma once

#include "exec/running_call.h"
#include "plan/plan.h"

namespace concilio {

// Whether the request is one stretch of the file and of memory: one request to storage, with nothing to plan.
bool is_one_stretch(const Request& request);
// What plan() would come to for such a request alone, without its prices.
const Plan& plan_of_one_stretch();

// The method of the plan, which is none of the collective ones.
Outcome run_alone(const RunningCall& call, const Request& request, const Plan& plan);

}  // namespace concilio
