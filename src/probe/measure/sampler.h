// Measures how long an action takes: the median of several short batches within a given time.
#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"

namespace concilio::probe {

double now_seconds();

// Carries out the action `count` times.
using Work = std::function<Status(int64_t count)>;

// The seconds that one action takes. Measuring takes about `limit_seconds`, or one action if that takes
// longer. The action can be repeated at most `most_in_batch` times in a row; `before_batch`, if given, runs
// before each batch and is not timed.
Result<double> seconds_of_one(double limit_seconds, const Work& work, int64_t most_in_batch = INT64_MAX,
                              const std::function<Status()>& before_batch = {});

}  // namespace concilio::probe
