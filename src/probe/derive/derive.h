// What follows from measurements: prices, and the parameters of memory-conscious collective I/O. Pure.
#pragma once

#include "plan/facts/prices.h"
#include "plan/facts/profile.h"
#include "probe/derive/measurements.h"

namespace concilio::probe {

// What was not measured is taken from `otherwise`.
Prices derived_prices(const Measurements& found, const Prices& otherwise);

// 0: not measured.
Parameters derived_parameters(const Measurements& found);

// N_ah, as in derived_parameters.
int64_t aggregators_per_node(const Measurements& found);

}  // namespace concilio::probe
