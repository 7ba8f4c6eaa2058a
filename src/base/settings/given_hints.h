// What became of the hints that somebody gave for a file.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/settings/config.h"

namespace concilio {

struct GivenHint {
  enum class Outcome { used, overridden, ignored };
  std::string name, value;
  bool by_user = false;  // and not by the program
  Outcome outcome = Outcome::used;
  std::string why;  // empty if it is used
};

// The hints that the user has set from outside the program and those of the program, with `config` in force.
std::vector<GivenHint> given_hints(std::span<const std::pair<std::string, std::string>> of_program,
                                   const Config& config);

// "used", "overridden", "ignored".
const char* name_of(GivenHint::Outcome outcome);

}  // namespace concilio
