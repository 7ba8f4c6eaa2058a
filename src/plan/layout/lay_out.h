// Lays out a two-phase call: groups, realms, aggregators, windows, rounds, memory.
#pragma once

#include <vector>

#include "plan/layout/layout.h"

namespace concilio::plan {

// Fills in the layout, except how its images travel between nodes. There are no realms if `spans`, the file
// bytes that the call touches, are empty.
void lay_out_two_phase(const Facts& facts, const std::vector<pattern::Interval>& spans, Layout& layout);

}  // namespace concilio::plan
