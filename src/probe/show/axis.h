// A logarithmic axis, and how numbers on it are written.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "probe/show/figures.h"

namespace concilio::probe {

struct Axis {
  double low = INFINITY, high = 0;

  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // The place of `value` on the axis, from 0 to 1.
  double place(double value) const {
    return high <= low ? 0.5 : std::log(value / low) / std::log(high / low);
  }
};

struct Axes {
  Axis x, y;
};
inline Axes axes_of(const Figure& figure) {
  Axes axes;
  for (const Figure::Line& line : figure.lines) {
    for (const Sample& point : line.points) {
      axes.x.take(point.x);
      axes.y.take(point.y);
    }
  }
  // The y axis begins and ends at powers of ten.
  axes.y.low = std::pow(10, std::floor(std::log10(axes.y.low)));
  axes.y.high = std::pow(10, std::ceil(std::log10(axes.y.high)));
  return axes;
}

// Writes 4096 as "4K".
inline std::string short_bytes(double bytes) {
  if (bytes >= 1 << 20) return fmt::format("{:.4g}M", bytes / (1 << 20));
  if (bytes >= 1 << 10) return fmt::format("{:.4g}K", bytes / (1 << 10));
  return fmt::format("{:.0f}", bytes);
}
inline std::string x_text(const Figure& figure, double value) {
  return figure.x_is_bytes ? short_bytes(value) : fmt::format("{:.0f}", value);
}

}  // namespace concilio::probe
