#include "probe/measure/sampler.h"

#include <algorithm>
#include <vector>

#include "base/counters.h"
#include "base/median.h"
#include "probe/derive/measurements.h"

namespace concilio::probe {

namespace {
constexpr int most_batches = 9;
// Longer batches would tell no more.
constexpr double batch_seconds = 0.02;
}  // namespace

double now_seconds() {
  return static_cast<double>(now_ns()) * 1e-9;
}

Result<double> seconds_of_one(double limit_seconds, const Work& work, const Batch& batch) {
  const double start = now_seconds(), aim = std::min(limit_seconds / most_batches, batch_seconds);
  std::vector<double> seconds;
  for (int64_t count = 1;;) {
    if (batch.before) {
      if (Status status = batch.before(); !status) return status.error();
    }
    const double begin = now_seconds();
    if (Status status = work(count); !status) return status.error();
    const double end = now_seconds(), taken = std::max(end - begin, 1e-9);
    const bool spent = end - start >= limit_seconds;
    if (taken < aim / 2 && count < batch.most && !spent) {
      // The count grows step by step, because the first time is often the slowest.
      const double wanted = std::min(aim / taken, 8.0) * static_cast<double>(count);
      count = std::min(batch.most, std::max(count + 1, static_cast<int64_t>(wanted)));
      continue;
    }
    seconds.push_back(taken / static_cast<double>(count));
    if (spent || seconds.size() == most_batches) return median(seconds);
  }
}

}  // namespace concilio::probe
