#include "base/json_text.h"

#include <algorithm>
#include <cstdint>

namespace concilio {
namespace {

// How many bytes at the front of a text are one character of UTF-8 (RFC 3629); 0: none are.
size_t character_bytes(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const size_t bytes = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (bytes == 0 || text.size() < bytes) return 0;
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const uint8_t second = byte(1);
  const bool too_long = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool no_character = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
  return too_long || no_character ? 0 : bytes;
}

// How many bytes at the front of a text stand for themselves: most texts are names, which have no others.
size_t plain_bytes(std::string_view text) {
  const auto is_plain = [](char c) {
    const auto byte = static_cast<uint8_t>(c);
    return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
  };
  return static_cast<size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
}

}  // namespace

void JsonText::value(std::string_view text) {
  raw("\"");
  while (!text.empty()) {
    const size_t plain = plain_bytes(text);
    text_ += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const size_t bytes = character_bytes(text);
    const char c = text.front();
    if (bytes == 0)
      text_ += "\\ufffd";
    else if (bytes > 1)
      text_ += text.substr(0, bytes);
    else if (c == '"' || c == '\\')
      (text_ += '\\') += c;
    else
      text_ += fmt::format("\\u{:04x}", c);
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  text_ += '"';
}

}  // namespace concilio
