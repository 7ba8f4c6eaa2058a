// What series of measured values have in the middle, and how far they spread.
#pragma once

#include <algorithm>
#include <vector>

namespace concilio {

// The middle value, or the mean of the two in the middle; 0 if there are no values.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

// The value below which so large a part of the values lies, between two of them if need be; 0 if there are no
// values.
inline double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double place = part * static_cast<double>(values.size() - 1);
  const auto before = static_cast<size_t>(place), after = std::min(before + 1, values.size() - 1);
  return values[before] + (place - static_cast<double>(before)) * (values[after] - values[before]);
}

// Whether the middle half of one series lies below that of the other, or below so large a part of it. Fewer
// than three values do not show how far they spread.
inline bool clearly_below(const std::vector<double>& low, const std::vector<double>& high, double part = 1) {
  constexpr size_t fewest = 3;
  return std::min(low.size(), high.size()) >= fewest && quantile(low, 0.75) < part * quantile(high, 0.25);
}

}  // namespace concilio
