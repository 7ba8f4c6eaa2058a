// The two-phase part of an explanation: groups, partition trees, realms, aggregators, rounds, memory,
// messages.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "plan/plan.h"

namespace concilio::plan {

// What a call moves between ranks according to the plan.
struct Movement {
  int64_t messages = 0;  // between nodes; a node without bytes in a window sends only a head
  int64_t shared = 0;    // copies of a rank to or from an image in its node's memory, without a message
};
Movement movement_of(const Facts& facts, const Plan& plan);

std::string explain_two_phase_text(const Facts& facts, const Plan& plan);
nlohmann::json explain_two_phase_json(const Facts& facts, const Plan& plan);

}  // namespace concilio::plan
