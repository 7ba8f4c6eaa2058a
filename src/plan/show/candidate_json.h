// The JSON form of a method that was considered. Explanations, reports, and what the command makes of reports
// all use it.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "base/json_text.h"
#include "plan/choose/candidate.h"

namespace concilio::plan {

// The predicted time of a method that is not legal is null, and so is the measured time of one that did not
// run.
void write_candidates(std::span<const Candidate> candidates, JsonText& json);
// The same as documents.
nlohmann::json candidate_json(const Candidate& candidate);
nlohmann::json candidates_json(std::span<const Candidate> candidates);
// Reads what write_candidates() wrote. The text may come from another version of Concilio: methods that this
// version does not know are left out.
std::vector<Candidate> candidates_from_json(const nlohmann::json& json);

}  // namespace concilio::plan
