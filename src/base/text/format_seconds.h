#pragma once

#include <fmt/format.h>

#include <string>

namespace concilio {

// 0.0123 -> "12.3 ms".
inline std::string format_seconds(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} us", seconds * 1e6);
}

}  // namespace concilio
