// Lays out a two-phase call: groups, realms, aggregators, windows, rounds, memory.
#pragma once

#include <vector>

#include "plan/plan.h"

namespace concilio {

// Fills in all that Plan says of two_phase; plan.operation is set. No realms if `spans`, the file bytes that
// the call touches, are empty.
void lay_out_two_phase(const Facts& facts, const std::vector<Interval>& spans, Plan& plan);

// After the realms' positions or windows have changed.
void count_rounds(Plan& plan);

}  // namespace concilio
