#include "base/settings/given_hints.h"

#include <fmt/format.h>

namespace concilio {

namespace {

using Outcome = GivenHint::Outcome;

GivenHint outcome_of(const std::string& name, const std::string& value, const Config& config) {
  GivenHint hint{name, value, false, Outcome::used, ""};
  const auto set = [&hint](Outcome outcome, std::string why) {
    hint.outcome = outcome;
    hint.why = std::move(why);
  };
  const auto meanings = Config::read(name, value);
  if (!meanings) {
    set(Outcome::ignored, meanings.error().message);
  } else if (meanings->empty()) {
    set(Outcome::ignored, "it means something to other MPI-IO libraries alone");
  } else {
    for (const Config::Meaning& meaning : *meanings) {
      const std::string& used = config.text(meaning.key);
      if (used == meaning.value) continue;
      const Setting& setting = settings()[static_cast<size_t>(meaning.key)];
      if (config.fixed_by_user(meaning.key)) {
        set(Outcome::overridden, fmt::format("the user set {}={}", setting.hint, used));
      } else if (setting.effect == Effect::at_open) {
        set(Outcome::ignored, "it takes effect only when given to MPI_File_open");
      } else {
        set(Outcome::overridden, fmt::format("{}={} was given at another place", setting.hint, used));
      }
    }
  }
  return hint;
}

}  // namespace

std::vector<GivenHint> given_hints(std::span<const std::pair<std::string, std::string>> of_program,
                                   const Config& config) {
  std::vector<GivenHint> all;
  for (const Setting& setting : settings()) {
    if (setting.hint && config.fixed_by_user(setting.key))
      all.push_back({setting.hint, config.text(setting.key), true, Outcome::used, ""});
  }
  for (const auto& [name, value] : of_program) all.push_back(outcome_of(name, value, config));
  return all;
}

const char* name_of(GivenHint::Outcome outcome) {
  switch (outcome) {
    case Outcome::used:
      return "used";
    case Outcome::overridden:
      return "overridden";
    case Outcome::ignored:
      return "ignored";
  }
  return "";
}

}  // namespace concilio
