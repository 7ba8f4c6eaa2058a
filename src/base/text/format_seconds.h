#pragma once

#include <fmt/format.h>

#include <string>

namespace concilio {

// 0.0123 -> "12.3 ms". Three digits, or all that are before the point: 3352 s, and not 3.35e+03 s.
inline std::string format_seconds(double seconds) {
  const auto digits = [](double number) {
    return number < 99.95 ? fmt::format("{:.3g}", number) : fmt::format("{:.0f}", number);
  };
  // Not 1: rounded, these would print as 1000 of the smaller unit.
  if (seconds >= 0.9995) return digits(seconds) + " s";
  if (seconds >= 0.9995e-3) return digits(seconds * 1e3) + " ms";
  return digits(seconds * 1e6) + " us";
}

}  // namespace concilio
