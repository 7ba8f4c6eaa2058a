// What requests, copies and messages cost on a described machine.
#pragma once

#include "plan/facts/prices.h"
#include "simulation/machine.h"
#include "store/devices/throttle_costs.h"

namespace concilio::tools {

// What they take in a simulation when nothing else is under way. `costs` are those of the machine's storage;
// where it has several targets, they are of one.
plan::Prices machine_prices(const DescribedMachine& machine, const store::ThrottleCosts& costs);

}  // namespace concilio::tools
