// The one sentence that says why a method was chosen.
#pragma once

#include <string>

#include "plan/choose/method_table.h"
#include "plan/plan.h"

namespace concilio {

std::string reason_for(const Facts& facts, const Plan& plan, const Choice& choice);

}  // namespace concilio
