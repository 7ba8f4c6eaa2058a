// What the simulated benchmark program has measured (bench/simulated/main.cpp), and its table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace concilio::tools {

struct SimulatedCalls {  // those of one repetition that write, or that read
  double seconds = 0;    // the median repetition's, simulated
  // Of all ranks together in the last repetition.
  int64_t messages = 0, message_bytes = 0, storage_requests = 0;
  int64_t rounds = 0;                // of the rank with most
  std::vector<std::string> methods;  // that were taken
};

struct Simulated {
  std::string pattern, note, method;
  std::string failure;  // empty: none
  int64_t bytes = 0;
  int64_t peak_bytes_per_node = 0;
  double open_seconds = 0;
  std::optional<double> init_seconds{}, close_seconds{};  // with groups of ranks
  std::optional<SimulatedCalls> write, read;
};

// Reads the program's results.
Result<std::vector<Simulated>> parse_outcome(std::string_view text);

// A line for each method and direction, and a heading for each pattern.
std::string table_of(const std::vector<Simulated>& all);

// The method that was asked for, and behind it those that were taken instead.
std::string method_text(const std::string& method, const std::vector<std::string>& taken);

}  // namespace concilio::tools
