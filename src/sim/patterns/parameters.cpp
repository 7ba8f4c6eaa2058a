#include "sim/patterns/parameters.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/bytes.h"

namespace concilio::sim {

std::string lines_of(const PatternWords& words) {
  return fmt::format("  {}{}\n      {}\n", words.name, words.parameters, words.help);
}

PatternText parse_pattern(std::string_view text) {
  Parameters words;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(':', begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return {words[0], Parameters(words.begin() + 1, words.end())};
}

int64_t piece_bytes(std::string_view text) {
  const Result<int64_t> value = parse_bytes(text);
  return value && *value >= 1 && *value <= (int64_t{1} << 30) ? *value : 0;
}

PieceBytesPair piece_bytes_pair(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return {};
  return {piece_bytes(text.substr(0, slash)), piece_bytes(text.substr(slash + 1))};
}

Error malformed(std::string message) {
  return {ErrorKind::argument, 0, std::move(message)};
}

}  // namespace concilio::sim
