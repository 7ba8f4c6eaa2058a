// The prices that follow from a described machine: plans are made by them, as by those that `concilio probe`
// measures on a real one, and they say how long a call takes that is counted from its plan.
#pragma once

#include <string>

#include "plan/facts/profile.h"
#include "plan/plan.h"
#include "simulation/machine.h"

namespace concilio::tools {

// The prices of the machine as a profile, for any host, of storage that is throttled as the text says.
plan::Profile profile_of(const DescribedMachine& machine, std::string throttle);

// The time of a call with this plan. It is an estimate: what the plan's method costs by these prices, but no
// less than storage and the links of all nodes together need for the bytes. The facts are those of the plan.
double predicted_seconds(const plan::Facts& facts, const plan::Plan& plan, const DescribedMachine& machine);

}  // namespace concilio::tools
