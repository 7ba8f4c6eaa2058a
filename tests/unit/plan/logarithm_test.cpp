#include "plan/facts/logarithm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace concilio::plan::logarithm_test {
namespace {

TEST(Logarithm, OfPowersOfTwoIsExact) {
  for (int exponent = -60; exponent <= 60; ++exponent) {
    EXPECT_EQ(binary_logarithm(std::ldexp(1, exponent)), exponent);
    EXPECT_EQ(power_of_two(exponent), std::ldexp(1, exponent));
  }
}

TEST(Logarithm, IsThatOfTheCLibraryButForRounding) {
  for (double x = 1e-12; x < 1e12; x *= 1.0123) {
    const double expected = std::log2(x);
    EXPECT_NEAR(binary_logarithm(x), expected, 1e-15 * std::max(1.0, std::abs(expected))) << x;
    EXPECT_NEAR(power_of_two(expected) / x, 1, 1e-13) << x;
  }
}

}  // namespace
}  // namespace concilio::plan::logarithm_test
