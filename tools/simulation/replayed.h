// What the simulated benchmark program has measured of a record of calls (bench/simulated/replay.h): a line
// for each method, what takes the time, and which hint changes that.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "simulation/machine.h"
#include "simulation/platform.h"

namespace concilio::tools {

struct Replayed {
  std::string method;
  std::string failure;                                     // empty: none
  double seconds = 0, call_seconds = 0, idle_seconds = 0;  // simulated, of the rank with most
  std::vector<std::string> methods;                        // that were taken
  // Of all ranks together.
  int64_t written = 0, read = 0;  // bytes of the program
  int64_t messages = 0, message_bytes = 0, storage_requests = 0;
  double all_calls_seconds = 0, storage_seconds = 0, exchange_seconds = 0, copy_seconds = 0;
  int64_t rounds = 0;  // of the rank with most
  int64_t peak_bytes_per_node = 0;
};

// Reads the program's results.
Result<std::vector<Replayed>> parse_replayed(std::string_view text);
// `name`: of the record.
std::string table_of(const std::string& name, const std::vector<Replayed>& all);
// What takes the time in calls, and the best method with the hint for it.
std::string limits_of(const std::vector<Replayed>& all, const DescribedMachine& machine,
                      const RanksOnNodes& placed);

}  // namespace concilio::tools
