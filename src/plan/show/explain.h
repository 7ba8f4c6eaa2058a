// A plan as text for people and as JSON for programs: method, reason, candidates with prices, realms, rounds,
// memory.
#pragma once

#include <string>

#include "plan/plan.h"

namespace concilio::plan {

std::string explain_text(const Facts& facts, const Plan& plan);
std::string explain_json(const Facts& facts, const Plan& plan);

// The facts as JSON on one line, from which `concilio explain` can plan again.
std::string facts_line(const Facts& facts);

}  // namespace concilio::plan
