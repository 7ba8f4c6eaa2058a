// Numbers in texts of the system's, such as files of /proc.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace concilio {

// Returns the decimal number at the beginning of the text, before which there may be blanks; none if there is
// no number, or one that is too large.
inline std::optional<int64_t> whole_number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc()) return std::nullopt;
  return number;
}

}  // namespace concilio
