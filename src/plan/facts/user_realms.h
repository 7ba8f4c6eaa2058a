// File realms that the user gives: checks that they own every byte of the file exactly once, and computes
// what planning needs to know about them. Pure, as all of plan.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "pattern/datatype.h"
#include "plan/facts/facts.h"

namespace concilio::plan {

// The bytes of one realm: `type`, tiled by its extent without end, from a byte of the file on.
struct GivenRealm {
  pattern::DataType type;
  int64_t displacement = 0;
};

// More pieces than this in one period are refused, because every rank goes through all of them.
inline constexpr int64_t most_given_pieces = 1 << 20;

// Fails with kind `datatype` if these cannot be realms of a file; the message names the realm or the byte.
// All extents must be equal; the extent is the period. The first plan chooses the aggregators.
Result<FixedRealms> check_realms(std::span<const GivenRealm> realms);

// Whether this many realms can have an aggregator each; `candidates` has the number of ranks of each node
// that may aggregate.
Status check_count(int64_t realms, std::span<const int64_t> candidates);

}  // namespace concilio::plan
