#include "plan/show/candidate_json.h"

#include <optional>
#include <string>

namespace concilio {

using nlohmann::json;

namespace {

std::optional<Method> method_named(const std::string& name) {
  for (int i = 0; i < method_count; ++i) {
    if (name == method_name(static_cast<Method>(i))) return static_cast<Method>(i);
  }
  return {};
}

std::optional<double> seconds_of(const json& object, const char* name) {
  const auto value = object.find(name);
  return value != object.end() && value->is_number() ? std::optional(value->get<double>()) : std::nullopt;
}

}  // namespace

json candidate_json(const Candidate& candidate) {
  return {{"method", method_name(candidate.method)},
          {"legal", candidate.legal},
          {"chosen", candidate.chosen},
          {"predicted_seconds", candidate.legal ? json(candidate.predicted_seconds) : json()},
          {"calls", candidate.calls},
          {"measured_seconds", candidate.calls > 0 ? json(candidate.measured_seconds) : json()}};
}

json candidates_json(std::span<const Candidate> candidates) {
  json out = json::array();
  for (const Candidate& one : candidates) out.push_back(candidate_json(one));
  return out;
}

std::vector<Candidate> candidates_from_json(const json& array) {
  std::vector<Candidate> candidates;
  for (const json& one : array) {
    const auto method = method_named(one.value("method", ""));
    if (!method) continue;
    const auto predicted = seconds_of(one, "predicted_seconds");
    candidates.push_back({*method, predicted.has_value(), one.value("chosen", false), predicted.value_or(0),
                          one.value("calls", int64_t{0}), seconds_of(one, "measured_seconds").value_or(0)});
  }
  return candidates;
}

}  // namespace concilio
