#include "job/computing.h"

#include <mpi.h>

#include <algorithm>

namespace concilio::bench {

double Computing::per_second() {
  if (per_second_ > 0) return per_second_;
  constexpr int64_t sample = 20'000'000;
  // The best of a few measurements, because another process may have used the core.
  for (int i = 0; i < 3; ++i) {
    const double start = MPI_Wtime();
    run(sample);
    per_second_ = std::max(per_second_, static_cast<double>(sample) / (MPI_Wtime() - start));
  }
  return per_second_;
}

void Computing::run(int64_t steps) {
  double value = value_;
  for (int64_t i = 0; i < steps; ++i) value = value * 0.999999 + 1e-6;
  value_ = value;
  // Nobody uses the result; this keeps the compiler from removing the loop.
  asm volatile("" : : "r"(&value_) : "memory");
}

}  // namespace concilio::bench
