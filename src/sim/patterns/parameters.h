// What a user gives to describe a pattern: its parameters, and the size that is wanted. The patterns' headers
// in this folder describe them in numbers, from which the simulator makes accesses and the benchmark program
// makes datatypes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace concilio::sim {

struct Size {
  int ranks = 1;
  int64_t bytes_per_rank = 0;  // the wish for a call; a pattern comes near it
};

// The parameters behind a pattern's name, which colons separate.
using Parameters = std::vector<std::string>;

// How a user writes a pattern, and what it is.
struct PatternWords {
  const char* name;
  const char* parameters;
  const char* help;
};
// Formats them as two lines of --help.
std::string lines_of(const PatternWords& words);

// Splits a text such as "hpio:8/24:struct" into the name and the parameters.
struct PatternText {
  std::string name;
  Parameters parameters;
};
PatternText parse_pattern(std::string_view text);

// Reads a whole number of bytes from 1 to 2^30, such as 64, 4K or 1MiB. Returns 0 if the text is not one.
int64_t piece_bytes(std::string_view text);
// Reads two such numbers, as "64/8". Each is 0 if it is not one.
struct PieceBytesPair {
  int64_t first = 0, second = 0;
};
PieceBytesPair piece_bytes_pair(std::string_view text);
Error malformed(std::string message);
inline constexpr const char* piece_bytes_rule = "a whole number of bytes from 1 to 1073741824";

}  // namespace concilio::sim
