// Facts as JSON, and back, so that what one run planned from can be planned from again.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "base/result.h"
#include "plan/facts/facts.h"

namespace concilio::plan {

const char* operation_name(Operation operation);
const char* storage_kind_name(StorageFacts::Kind kind);
std::span<const char* const> storage_kind_names();  // in the order of StorageFacts::Kind

// All facts, except that of the realms that the file already has only the number is given. Prices are
// included only if they were measured, and earlier calls only if there were any.
nlohmann::json facts_as_json(const Facts& facts);
// An error names what is missing or makes no sense. All of "wishes", "storage", "buckets", "prices" and
// "experience" can be left out.
Result<Facts> facts_from_json(const nlohmann::json& json);

}  // namespace concilio::plan
