// Realms that the user gives: whether they own every byte of the file exactly once, and what planning needs
// to know of them. Pure, as all of plan.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "pattern/datatype.h"
#include "plan/facts/facts.h"

namespace concilio {

// A realm-to-be: the bytes of `type`, tiled by its extent without end, from a byte of the file on.
struct GivenRealm {
  DataType type;
  int64_t displacement = 0;
};

// More pieces in one period are refused: every rank goes through them.
inline constexpr int64_t most_given_pieces = 1 << 20;

// Kind `datatype` where they are no realms of a file; the message names the realm or the byte. All extents
// must be the same, the period. Aggregators are left to the first plan.
Result<FixedRealms> check_realms(std::span<const GivenRealm> realms);

// Whether so many have an aggregator each, on nodes of which each has so many ranks that may aggregate.
Status check_count(int64_t realms, std::span<const int64_t> candidates);

}  // namespace concilio
