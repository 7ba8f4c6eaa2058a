// The methods that every rank carries out alone, each in the file of its name.
#pragma once

#include "exec/running_call.h"
#include "plan/plan.h"

namespace concilio {

// run_NAME: carries out this rank's request, which has bytes, as the plan says.
#define RUN_alone(name) Outcome run_##name(const RunningCall& call, const Request& request, const Plan& plan);
#define RUN_together(name)
#define METHOD(name, ranks, summary) RUN_##ranks(name)
#include "base/methods.def"
#undef RUN_alone
#undef RUN_together

}  // namespace concilio
