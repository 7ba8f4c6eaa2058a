// What `concilio explain` was asked, and what it means: settings, a machine, facts.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/settings/config.h"
#include "sim/gather.h"

namespace concilio::tools {

// Numbers below 0 and empty texts: not given.
struct ExplainOptions {
  std::string pattern;  // or a file of facts
  int64_t ranks = -1, nodes = -1, ranks_per_node = -1, cores_per_node = -1;
  std::string bytes_per_rank;
  double mib_per_rank = -1;
  int call = -1;
  bool read = false;
  std::string memory_normal;
  std::string storage;
  std::string profile;                                         // file of concilio probe
  std::vector<std::string> hints;                              // NAME=VALUE
  std::vector<std::pair<const char*, const char*>> shortcuts;  // option, and the hint that it sets
  std::vector<std::string> shortcut_values;                    // of each of these; empty: not given
  bool json = false;
  std::string picture_file;
};

// The settings that the command line gives. `notes`: hints that mean nothing to Concilio.
Result<Config> settings_of(const ExplainOptions& options, std::vector<std::string>& notes);
Result<sim::Machine> machine_of(const ExplainOptions& options, const Config& config);
// What the storage and the nodes' memory are asked to be, in place of what facts say.
Status take_over_machine(const ExplainOptions& options, const Config& config, Facts& facts);
Result<int64_t> bytes_per_rank_of(const ExplainOptions& options, int64_t ranks);
int64_t ranks_of(const ExplainOptions& options);

// The facts number `index`, from 0, in a file: one JSON object with them, or with them as "facts", or
// messages of CONCILIO_LOG=debug.
// `notes`: what they leave out.
Result<Facts> facts_in_file(const std::string& path, int index, std::vector<std::string>& notes);

}  // namespace concilio::tools
