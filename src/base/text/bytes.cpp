#include "base/text/bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/checked.h"

namespace concilio {

namespace {

// The power of 1024 that a suffix stands for, or -1.
int power_of_suffix(std::string_view suffix) {
  if (suffix.empty()) return 0;
  constexpr std::string_view letters = "bkmgt";
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  const size_t power = letters.find(lower(suffix[0]));
  if (power == std::string_view::npos) return -1;
  suffix.remove_prefix(1);
  if (power > 0 && !suffix.empty() && lower(suffix[0]) == 'i') {
    suffix.remove_prefix(1);
    if (suffix.empty()) return -1;
  }
  if (power > 0 && !suffix.empty() && lower(suffix[0]) == 'b') suffix.remove_prefix(1);
  return suffix.empty() ? static_cast<int>(power) : -1;
}

}  // namespace

Result<int64_t> parse_bytes(std::string_view text) {
  int64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view suffix = text.substr(static_cast<size_t>(end - text.data()));
  if (failed == std::errc{} && !suffix.empty() && suffix[0] == ' ') suffix.remove_prefix(1);
  const int power = power_of_suffix(suffix);
  if (failed == std::errc::invalid_argument || power < 0) {
    return Error{ErrorKind::info_value, 0,
                 fmt::format("'{}' is not a number of bytes such as 4096, 512K or 8MiB", text)};
  }
  const auto bytes = checked_multiply(number, int64_t{1} << (10 * power));
  if (failed != std::errc{} || !bytes) {
    return Error{ErrorKind::info_value, 0, fmt::format("'{}' is too large a number of bytes", text)};
  }
  return *bytes;
}

std::string format_bytes(int64_t bytes) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double number = static_cast<double>(bytes);
  size_t unit = 0;
  // Not 1024: with one decimal place, 1023.96 would print as 1024.0.
  while (number >= 1023.95 || number <= -1023.95) {
    number /= 1024;
    ++unit;
  }
  if (unit == 0) return fmt::format("{} B", bytes);
  if (number == static_cast<double>(static_cast<int64_t>(number))) {
    return fmt::format("{:.0f} {}", number, units[unit]);
  }
  return fmt::format("{:.1f} {}", number, units[unit]);
}

std::vector<int64_t> byte_list(std::string_view text) {
  std::vector<int64_t> out;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    if (const Result<int64_t> bytes = parse_bytes(text.substr(0, comma))) out.push_back(*bytes);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return out;
}

}  // namespace concilio
