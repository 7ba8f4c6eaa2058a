// Persistent realms: the first call fixes them for the whole file, for as long as it is open, so that every
// byte always goes through the same aggregator (Coloma et al., section 5.2; ROMIO's romio_cb_pfr). The caches
// of the aggregators' nodes then stay coherent without locks, and each node accesses the same part of the
// file again and again. The part of the file up to the end of the first call is divided evenly, from byte 0;
// the bytes behind it are dealt out in the same way again.
#include <algorithm>

#include "base/checked.h"
#include "plan/layout/realms.h"

namespace concilio::plan {

namespace {
// Shorter blocks would make many small windows once the file has grown; the first call often writes only a
// header.
constexpr int64_t least_block_bytes = 1 << 20;
}  // namespace

Division divide_persistent(const Region& region, Hosts&) {
  const int64_t alignment = unit_bytes(region.facts);
  int64_t block_bytes = region.facts.wishes.realm_block_bytes;
  if (block_bytes <= 0) {
    block_bytes = std::max(least_block_bytes, ceil_divide(region.range().end, region.wanted));
    if (block_bytes <= INT64_MAX - alignment) block_bytes = align_up(block_bytes, alignment);
  }
  return dealt_out(block_bytes, region.wanted, alignment);
}

}  // namespace concilio::plan
