// The methods that each rank carries out alone. Each is in the file of its name.
#pragma once

#include "exec/call/running_call.h"
#include "plan/plan.h"

namespace concilio::exec {

// run_NAME() carries out this rank's request as the plan says. The request has at least one byte.
#define RUN_alone(name) \
  Outcome run_##name(const RunningCall& call, const Request& request, const plan::Plan& plan);
#define RUN_together(name)
#define METHOD(name, ranks, writes, summary) RUN_##ranks(name)
#include "base/methods.def"
#undef RUN_alone
#undef RUN_together

}  // namespace concilio::exec
