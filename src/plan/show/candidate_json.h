// The one JSON form of a method that was considered: in explanations, in reports, and in what the command
// makes of reports.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "plan/choose/candidate.h"

namespace concilio {

// What has no meaning, a price of what is not legal and a time of what did not run, is null.
nlohmann::json candidate_json(const Candidate& candidate);
nlohmann::json candidates_json(std::span<const Candidate> candidates);
// Of what candidates_json() made, here or in another version: methods that are not known here are left out.
std::vector<Candidate> candidates_from_json(const nlohmann::json& json);

}  // namespace concilio
