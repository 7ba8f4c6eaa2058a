// Facts as JSON, and back: what one run planned by can be planned by again.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "base/result.h"
#include "plan/facts/facts.h"

namespace concilio {

const char* operation_name(Operation operation);
const char* storage_kind_name(StorageFacts::Kind kind);
std::span<const char* const> storage_kind_names();  // in the order of StorageFacts::Kind

// All but the realms that a file already has, whose number alone is told. Prices only where they were
// measured, and earlier calls only where there were any.
nlohmann::json facts_as_json(const Facts& facts);
// An error names what is missing or makes no sense. What can be left out: all of "wishes", "storage",
// "buckets", "prices" and "experience".
Result<Facts> facts_from_json(const nlohmann::json& json);

}  // namespace concilio
