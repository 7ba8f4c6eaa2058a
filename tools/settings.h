// The settings that `concilio run` and `concilio bench` take on their command lines, checked and turned into
// the environment variables by which the library gets them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "system/environment.h"

namespace concilio::tools {

struct SettingOptions {
  std::vector<std::string> hints;  // "KEY=VALUE"
  std::string memory_limit;        // as written; empty: none
  std::string only;                // GLOB[:GLOB]; empty: none
  bool threads = false;
};

// (environment name, value) for the ranks. Hints that the user's CONCILIO_HINTS already holds stay, before
// these. The error names what is malformed. `notes` gets what is accepted but will have no effect.
Result<std::vector<std::pair<std::string, std::string>>> check_settings(const SettingOptions& options,
                                                                        const Environment& environment,
                                                                        std::vector<std::string>& notes);

// The error of a hint, NAME=VALUE, that is malformed. `notes` gets hints that may be meant for others.
Status check_hint(const std::string& hint, std::vector<std::string>& notes);

// One line for each variable that begins with CONCILIO_ and is none.
std::vector<std::string> unknown_variables(const Environment& environment);

}  // namespace concilio::tools
