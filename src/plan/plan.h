// Pure planning: plan(Facts) -> Plan. It is deterministic, and uses no MPI, files, clocks or environment. The
// simulator, `explain` and the tests run the same code as the ranks.
#pragma once

#include <array>
#include <cstdint>

#include "plan/choose/candidate.h"
#include "plan/choose/cost.h"
#include "plan/choose/reason.h"
#include "plan/facts/facts.h"
#include "plan/layout/layout.h"

namespace concilio::plan {

// What planning found about a method: why it is not legal, or what it costs.
struct Appraisal {
  Phrase obstacle;  // empty if the method is legal
  Cost cost;
};

// What all ranks will do, and why. A method other than two_phase uses only these members of Layout: the
// operation, the memory and the warning.
struct Plan : Layout {
  Method method = Method::independent;
  Reason reason;
  bool wished = false;  // the user's wishes decided, so measured times change nothing
  Candidates candidates;
  std::array<Appraisal, method_count> appraisals;  // one for each candidate
  int64_t file_pieces = 1;                         // that were asked for, of all ranks together (Digest)
  int64_t buffer_bytes = 0;  // that a rank's data pass through, of sieve and independent

  const Appraisal& appraisal(Method of) const { return appraisals[static_cast<size_t>(of)]; }
};

// Whether the bytes asked for leave no holes between them: there are as many as the call's range has. Some
// may have been asked for twice, which is rare in writes, and where each rank has one piece.
bool leaves_no_holes(Operation operation, const Digest& digest);
// Whether planning needs the buckets: whether two_phase would be chosen if the bytes asked for had no holes
// between them. On one node it does not if they have none.
bool needs_buckets(const Facts& facts);
Plan plan(const Facts& facts);
// The plan that plan() would make, without its prices, for a request of one rank that is contiguous in the
// file, and in memory too unless it is small.
const Plan& plan_of_one_stretch();
// The same for a collective call in which each rank has at most one small piece, where storage answers from
// memory: no method does less than the one request that the piece takes.
const Plan& plan_of_small_pieces();
// The most that the buffer of a plan at first sight has: it stays in a core's cache, and has few pages to be
// touched for the first time.
inline constexpr int64_t most_bytes_at_first_sight = 128 << 10;
// A plan for a collective call whose pattern is new, where storage answers from memory: to make one, and to
// compare the methods, takes longer than to move few bytes with what lies between (sieve), or than to move
// few pieces one by one (list); and one stretch of one rank there is one request (independent). It serves
// until the pattern comes back.
Plan plan_at_first_sight(Method method, Operation operation, const Digest& digest);

}  // namespace concilio::plan
