#include "plan/choose/targets.h"

#include <algorithm>

#include "base/checked.h"

namespace concilio::plan {
namespace {

// So many requests a target works on at the same time.
constexpr double requests_of_target = 4;

}  // namespace

Targets::Targets(const StorageFacts& storage, const RequestSeconds& stripe)
    : stripe_bytes_(storage.stripe_bytes),
      seconds_of_byte_(stripe.of_bytes / static_cast<double>(storage.stripe_bytes)),
      latency_(stripe.latency),
      free_(static_cast<size_t>(storage.stripe_targets)) {}

double Targets::serve(pattern::Interval bytes, double now) {
  const int64_t targets = std::ssize(free_);
  const int64_t first = floor_divide(bytes.begin, stripe_bytes_),
                last = floor_divide(bytes.end - 1, stripe_bytes_);
  const int64_t target = first - floor_divide(first, targets) * targets;  // of the first stripe
  double done = now;
  for (int64_t i = 0; i < std::min(targets, last - first + 1); ++i) {
    int64_t its_bytes = ((last - first - i) / targets + 1) * stripe_bytes_;
    if (i == 0) its_bytes -= bytes.begin - first * stripe_bytes_;
    if ((last - first) % targets == i) its_bytes -= stripe_bytes_ - (bytes.end - last * stripe_bytes_);
    double& free = free_[static_cast<size_t>((target + i) % targets)];
    free = std::max(free, now) + latency_ / requests_of_target +
           static_cast<double>(its_bytes) * seconds_of_byte_;
    done = std::max(done, free + latency_ * (1 - 1 / requests_of_target));
  }
  return done;
}

}  // namespace concilio::plan
