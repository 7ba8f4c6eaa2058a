// Pure planning: plan(Facts) -> Plan, deterministic, without MPI, files, clocks or environment. The
// simulator, `explain` and the tests run the same code as the ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/choose/candidate.h"
#include "plan/facts/facts.h"
#include "plan/layout/layout.h"

namespace concilio {

// What is done, and why. Of its layout, methods other than two_phase have the operation, the memory they take
// and a warning alone.
struct Plan : Layout {
  Method method = Method::independent;
  std::string reason;                 // one sentence: why this method
  bool wished = false;                // the user's wishes decided: measured times change nothing
  std::vector<Candidate> candidates;  // every method, in the order of Method
  int64_t sieve_buffer_bytes = 0;     // sieve only
};

// Whether a plan needs the buckets: whether two-phase would be chosen if the bytes asked for lay densely.
bool needs_buckets(const Facts& facts);
Plan plan(const Facts& facts);

}  // namespace concilio
