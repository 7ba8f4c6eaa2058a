// Measures how long an action takes: the median of several short batches within a given time.
#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"

namespace concilio::probe {

double now_seconds();

// Carries out the action `count` times.
using Work = std::function<Status(int64_t count)>;

// How often an action can be repeated in a row, and what, if given, runs before each such batch and is not
// timed.
struct Batch {
  int64_t most = INT64_MAX;
  std::function<Status()> before{};
};

// The seconds that one action takes. Measuring takes about `limit_seconds`, or one action if that takes
// longer.
Result<double> seconds_of_one(double limit_seconds, const Work& work, const Batch& batch = {});

}  // namespace concilio::probe
