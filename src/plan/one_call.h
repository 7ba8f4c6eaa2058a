// What calls that ranks made each for itself would take as one collective call. Nobody has measured that. So
// the same prices also say what the calls should have taken as they were made: how far that is from what they
// took shows the error of the prices.
#pragma once

#include <cstdint>
#include <optional>

#include "pattern/access.h"
#include "plan/facts/facts.h"
#include "plan/facts/method.h"

namespace concilio::plan {

// The independent calls in one direction on a file.
struct LoneCalls {
  // Of all ranks together, and of the rank with most.
  struct Amounts {
    int64_t calls = 0, bytes = 0;
    int64_t pieces = 0;  // contiguous ones, in the file
  };
  Amounts all, most;
  int64_t ranks = 0;           // that made the calls
  pattern::Interval range;     // of the file, which holds the bytes
  double seconds_of_call = 0;  // the mean, by price, of a rank that is alone
};

struct OneCall {
  Method method = Method::independent;  // of the collective call
  double seconds = 0;                   // that it would take
  double lone_seconds = 0;              // that the calls should have taken as they were made
};

// `facts`: those of a collective call of the file's ranks that are known without its digest. Nothing if no
// single call could move the bytes, because calls moved some of them more than once.
std::optional<OneCall> as_one_call(Facts facts, const LoneCalls& calls);

// The price of one request of so many bytes, of a rank that is alone.
double seconds_of_stretch(const Facts& facts, int64_t bytes);

}  // namespace concilio::plan
