// What two-phase leaves open: how many aggregators, how large windows, which realms. A layout is laid out and
// priced for each of a few settings that the user's wishes allow, and the cheapest is taken.
#pragma once

#include <vector>

#include "plan/layout/layout.h"

namespace concilio {

// As lay_out_two_phase, by the usual settings.
Layout usual_layout(const Facts& facts, const std::vector<Interval>& spans);
// The same by the settings that cost least.
Layout cheapest_layout(const Facts& facts, const std::vector<Interval>& spans);

}  // namespace concilio
