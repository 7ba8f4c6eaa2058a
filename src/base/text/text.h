// Handling of text that several readers of settings, costs and plans have in common.
#pragma once

#include <string_view>

namespace concilio {

// Returns the text without blanks and line ends on either side.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

// Returns what is before the first `separator`; `rest` becomes what is behind it.
inline std::string_view take_until(std::string_view& rest, char separator) {
  const size_t at = rest.find(separator);
  const std::string_view head = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view{} : rest.substr(at + 1);
  return head;
}

}  // namespace concilio
