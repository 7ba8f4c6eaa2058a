// How long something takes: the median of several short batches, within a time that is given.
#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"

namespace concilio::probe {

double now_seconds();

// Does something `count` times.
using Work = std::function<Status(int64_t count)>;

// Seconds of one time. Takes about `limit_seconds`, or one time where that is longer. `most_in_batch`: work
// can be done no more often in a row; `before_batch`, where given, is done before each batch, untimed.
Result<double> seconds_of_one(double limit_seconds, const Work& work, int64_t most_in_batch = INT64_MAX,
                              const std::function<Status()>& before_batch = {});

}  // namespace concilio::probe
