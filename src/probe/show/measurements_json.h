// Measurements as JSON, kept in a profile beside what follows from them.
#pragma once

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "probe/derive/measurements.h"

namespace concilio::probe {

nlohmann::json json_of(const Measurements& found);
// Kind argument where it is no such JSON. Quantities of other versions are passed over.
Result<Measurements> measurements_of(const nlohmann::json& json);

}  // namespace concilio::probe
