// Lays out a two-phase call: realms, windows, rounds, memory.
#pragma once

#include <vector>

#include "plan/plan.h"

namespace concilio {

// Fills in all that Plan says of two_phase. No realms if `spans` is empty.
void lay_out_two_phase(const Facts& facts, const std::vector<Interval>& spans, Plan& plan);

// Data bytes that the first window of a realm is short of window_bytes, so that it ends at an aligned offset.
int64_t window_pad(const Plan& plan, const Realm& realm);
int64_t rounds_of(const Plan& plan, const Realm& realm);
int64_t most_rounds(const Plan& plan);

}  // namespace concilio
