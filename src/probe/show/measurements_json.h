// Measurements as JSON. A profile keeps them beside the prices and parameters that follow from them.
#pragma once

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "probe/derive/measurements.h"

namespace concilio::probe {

nlohmann::json json_of(const Measurements& found);
// Returns an error of kind `argument` if `json` does not hold measurements. Quantities that only other
// versions know are ignored.
Result<Measurements> measurements_of(const nlohmann::json& json);

}  // namespace concilio::probe
