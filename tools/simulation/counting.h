// What `concilio simulate` tells of calls that are counted from their plans in place of being run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/settings/config.h"
#include "plan/facts/method.h"
#include "sim/count.h"
#include "simulation/machine.h"
#include "simulation/platform.h"

namespace concilio::tools {

struct CountedCalls {
  plan::Method method = plan::Method::independent;  // that is taken
  sim::Counts counts;
  double seconds = 0;  // predicted, see simulation/predicted.h
};
struct Counted {
  std::string pattern, method;  // as they were asked for
  std::string failure;          // why it cannot be counted; empty: nothing
  int64_t bytes = 0;
  int io_group = 0;  // how many ranks each group has of which one calls; 0: there are no groups
  // Predicted, of all opens: of one, or where there are groups, of one for each call.
  double open_seconds = 0;
  std::optional<CountedCalls> write, read;
};

struct CountingOptions {
  std::vector<std::string> patterns;
  // Each method, and the settings that a file has in a simulation with it.
  std::vector<std::pair<std::string, Config>> methods;
  int64_t bytes_per_rank = 0;
  // Sizes of groups, of which only the roots call (simulation/io_groups.h); empty: all ranks do.
  std::vector<int> io_groups;
  bool write = true, read = true;
  bool plan_by_machine = true;  // by its prices; else by those that are built in
};

// For each pattern and method the calls of one repetition, after one that does not count. An error says what
// of the machine or the patterns cannot be counted.
Result<std::vector<Counted>> count_calls(const CountingOptions& options, const DescribedMachine& machine,
                                         const RanksOnNodes& placed);

// The same as JSON, with the names of the library's counters, and as a table like that of a simulation.
std::string json_of(const std::vector<Counted>& all);
std::string table_of(const std::vector<Counted>& all);

}  // namespace concilio::tools
