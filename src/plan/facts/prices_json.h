// Prices as JSON, and back.
#pragma once

#include <nlohmann/json.hpp>

#include "base/text/json_place.h"
#include "plan/facts/prices.h"

namespace concilio::plan {

// Curves are lists of [x, y].
nlohmann::json prices_as_json(const Prices& prices);
// Within read_json. Nothing can be left out.
Prices read_prices(const JsonPlace& in);

}  // namespace concilio::plan
