// 64-bit arithmetic that knows of overflow, and the divisions that C++ lacks.
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>

namespace concilio {

inline std::optional<int64_t> checked_add(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

// The sum, or the end of what 64 bits hold that is nearest to it.
inline int64_t saturating_add(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? (a < 0 ? INT64_MIN : INT64_MAX) : sum;
}

inline std::optional<int64_t> checked_multiply(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// a / b rounded towards minus infinity and towards plus infinity; b > 0.
inline int64_t floor_divide(int64_t a, int64_t b) {
  return a / b - (a % b < 0);
}
inline int64_t ceil_divide(int64_t a, int64_t b) {
  return a / b + (a % b > 0);
}

// `a` rounded down or up to a multiple of `unit` > 0.
inline int64_t align_down(int64_t a, int64_t unit) {
  return floor_divide(a, unit) * unit;
}
inline int64_t align_up(int64_t a, int64_t unit) {
  return ceil_divide(a, unit) * unit;
}

}  // namespace concilio
