// The targets of a striped file, as they serve requests that several clients make one after another.
#pragma once

#include <cstdint>
#include <vector>

#include "pattern/access.h"
#include "plan/choose/cost.h"
#include "plan/facts/facts.h"

namespace concilio::plan {

// Each target moves the bytes of one request after another.
class Targets {
 public:
  // stripe: what a request for a whole stripe takes.
  Targets(const StorageFacts& storage, const RequestSeconds& stripe);
  // When a request is done that is made at a time, and not before any other was made.
  double serve(pattern::Interval bytes, double now);

 private:
  int64_t stripe_bytes_;
  double seconds_of_byte_, latency_;
  std::vector<double> free_;  // by target: when all that it has been asked for is moved
};

}  // namespace concilio::plan
