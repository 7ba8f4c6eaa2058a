// What follows from measurements: prices, and the parameters of "Memory-Conscious Collective I/O for Extreme
// Scale HPC Systems" (Lu et al.). Pure functions.
#pragma once

#include "plan/facts/prices.h"
#include "plan/facts/profile.h"
#include "probe/derive/measurements.h"

namespace concilio::probe {

// Prices that were not measured are taken from `otherwise`.
plan::Prices derived_prices(const Measurements& found, const plan::Prices& otherwise);

// A parameter is 0 if it was not measured.
plan::Parameters derived_parameters(const Measurements& found);

// The parameter N_ah, as in derived_parameters.
int64_t aggregators_per_node(const Measurements& found);

}  // namespace concilio::probe
