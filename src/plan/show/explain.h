// A plan for people and for programs: method, reason, candidates with prices, realms, rounds, memory.
#pragma once

#include <string>

#include "plan/plan.h"

namespace concilio {

std::string explain_text(const Facts& facts, const Plan& plan);
std::string explain_json(const Facts& facts, const Plan& plan);

// The facts alone, as JSON on one line, that `concilio explain` plans by again.
std::string facts_line(const Facts& facts);

}  // namespace concilio
