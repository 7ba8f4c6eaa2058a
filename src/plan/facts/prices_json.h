// Prices as JSON, and back.
#pragma once

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "plan/facts/prices.h"

namespace concilio {

// Curves are lists of [x, y].
nlohmann::json prices_as_json(const Prices& prices);
// An error of kind `argument` names what is missing or makes no sense. Nothing can be left out.
Result<Prices> prices_from_json(const nlohmann::json& json);

}  // namespace concilio
