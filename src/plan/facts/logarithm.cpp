#include "plan/facts/logarithm.h"

#include <cmath>

namespace concilio::plan {
namespace {

constexpr double ln_2 = 0.693147180559945309417232;
constexpr double half_root = 0.707106781186547524400844;  // of 2

}  // namespace

// x = mantissa * 2^exponent, and ln(mantissa) = 2 artanh(z) = 2 (z + z^3 / 3 + z^5 / 5 + ...).
double binary_logarithm(double x) {
  constexpr int last_power = 21;  // later terms are less than a rounding error, as |z| < 0.18
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);  // exact
  if (mantissa < half_root) {
    mantissa *= 2;
    --exponent;
  }
  const double z = (mantissa - 1) / (mantissa + 1), z_2 = z * z;
  double sum = 0;
  for (int power = last_power; power > 0; power -= 2) sum = sum * z_2 + 1.0 / power;
  return exponent + 2 / ln_2 * z * sum;
}

// 2^x = 2^whole * e^y, and e^y = 1 + y (1 + y / 2 (1 + y / 3 ...)).
double power_of_two(double x) {
  constexpr int last_power = 14;  // as above, as |y| < 0.35
  const double whole = std::floor(x + 0.5);
  const double y = (x - whole) * ln_2;
  double sum = 1;
  for (int power = last_power; power > 0; --power) sum = 1 + y / power * sum;
  return std::ldexp(sum, static_cast<int>(whole));  // exact
}

}  // namespace concilio::plan
