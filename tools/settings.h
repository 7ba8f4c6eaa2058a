// Checks the settings on the command lines of `concilio run` and `concilio bench`, and turns them into the
// environment variables that the library reads.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/settings/config.h"
#include "system/environment.h"

namespace concilio::tools {

struct SettingOptions {
  std::vector<std::string> hints;  // "KEY=VALUE"
  std::string memory_limit;        // as the user wrote it; empty if not given
  std::string only;                // GLOB[:GLOB]; empty if not given
  bool threads = false;
};

// (name, value) of the environment variables for the ranks. Hints that the user has set by CONCILIO_HINTS
// stay, before these. The error names what is malformed.
Result<std::vector<std::pair<std::string, std::string>>> check_settings(const SettingOptions& options,
                                                                        const Environment& environment);

// Sets a hint that --hint gives, NAME=VALUE. What is malformed or unknown on a command line is refused, since
// the user is there to correct it; what is wrong in the environment or in a program is named and ignored.
Status set_hint(Config& config, Config::Origin origin, const std::string& hint);
Status check_hint(const std::string& hint);
// The same for a hint that has an option of its own.
Status set_by_option(Config& config, Config::Origin origin, const std::string& option,
                     const std::string& name, const std::string& value);

// One line for each variable that begins with CONCILIO_ but is unknown.
std::vector<std::string> unknown_variables(const Environment& environment);

}  // namespace concilio::tools
