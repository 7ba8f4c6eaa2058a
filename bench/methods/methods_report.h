// Formats the results of --methods as JSON and as text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "methods/methods.h"

namespace concilio::bench {

nlohmann::json to_json(const std::string& pattern, const std::string& note, const MethodsOutcome& outcome);
std::string to_text(const std::string& pattern, const std::string& note, const MethodsOutcome& outcome);

}  // namespace concilio::bench
