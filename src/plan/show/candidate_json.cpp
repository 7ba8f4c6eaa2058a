#include "plan/show/candidate_json.h"

#include <optional>
#include <string>

namespace concilio::plan {

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

void write(const Candidate& candidate, JsonText& text) {
  const auto seconds = [&](const char* name, bool known, double value) {
    text.name(name);
    if (known)
      text.value(value);
    else
      text.null();
  };
  text.object([&] {
    text.member("method", method_name(candidate.method));
    text.member("legal", candidate.legal);
    text.member("chosen", candidate.chosen);
    seconds("predicted_seconds", candidate.legal, candidate.predicted_seconds);
    text.member("calls", candidate.calls);
    seconds("measured_seconds", candidate.calls > 0, candidate.measured_seconds);
  });
}

}  // namespace

void write_candidates(std::span<const Candidate> candidates, JsonText& text) {
  text.array([&] {
    for (const Candidate& one : candidates) write(one, text);
  });
}

json candidate_json(const Candidate& candidate) {
  return candidates_json({&candidate, 1}).front();
}

json candidates_json(std::span<const Candidate> candidates) {
  JsonText text;
  write_candidates(candidates, text);
  return json::parse(text.text());
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

}  // namespace concilio::plan
