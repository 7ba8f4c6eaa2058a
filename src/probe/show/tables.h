// The result of a probe as tables, for people.
#pragma once

#include <string>

#include "plan/facts/profile.h"
#include "probe/derive/measurements.h"

namespace concilio::probe {

std::string tables_of(const plan::Profile& profile, const Measurements& found);

}  // namespace concilio::probe
