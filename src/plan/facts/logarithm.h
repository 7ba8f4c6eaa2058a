// Logarithms and powers that are the same on all ranks. Those of the C library differ in the last bit between
// processors, for which it has different code, and ranks that price a method differently would choose
// different methods. These use nothing but additions, multiplications and divisions, whose results IEEE 754
// prescribes.
#pragma once

namespace concilio::plan {

// The logarithm to base 2 of a positive, finite number.
double binary_logarithm(double x);
// 2 to the power of x, where |x| is at most 1000.
double power_of_two(double x);

}  // namespace concilio::plan
