// The options of `concilio explain`, and what follows from them: settings, a machine, facts.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/settings/config.h"
#include "sim/gather.h"

namespace concilio::tools {

// A number below 0 or an empty text means that the option was not given.
struct ExplainOptions {
  std::string pattern;  // a pattern, or the name of a file of facts
  int64_t ranks = -1, nodes = -1, ranks_per_node = -1, cores_per_node = -1;
  std::string bytes_per_rank;
  double mib_per_rank = -1;
  int call = -1;
  bool read = false;
  std::string memory_normal;
  std::string storage;
  std::string profile;                                         // a file that concilio probe has written
  std::vector<std::string> hints;                              // NAME=VALUE
  std::vector<std::pair<const char*, const char*>> shortcuts;  // an option, and the hint that it sets
  std::vector<std::string> shortcut_values;  // the values of these options; empty if not given
  bool json = false;
  std::string picture_file;
};

// The settings from the command line.
Result<Config> settings_of(const ExplainOptions& options);
Result<sim::Machine> machine_of(const ExplainOptions& options, const Config& config);
// Replaces what the facts say of the storage and of the nodes' memory by what the options say.
Status take_over_machine(const ExplainOptions& options, const Config& config, plan::Facts& facts);
Result<int64_t> bytes_per_rank_of(const ExplainOptions& options, int64_t ranks);
int64_t ranks_of(const ExplainOptions& options);

// Reads the facts number `index`, counted from 0, from a file. The file holds one JSON object that is the
// facts or has them as "facts", or it is a log that was written with CONCILIO_LOG=debug. `notes` receives a
// line for each fact that is missing.
Result<plan::Facts> facts_in_file(const std::string& path, int index, std::vector<std::string>& notes);

}  // namespace concilio::tools
