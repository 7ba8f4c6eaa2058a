// Persistent realms: fixed by the first call, for the whole file and as long as it is open, so that every
// byte always goes through the same aggregator (Coloma et al., section 5.2; ROMIO's romio_cb_pfr): caches of
// the aggregators' nodes stay coherent without locks, and each sees the same part of the file again and
// again. The part of the file up to the first call's end is divided evenly, from byte 0; bytes behind it are
// dealt out in the same way again.
#include <algorithm>

#include "base/checked.h"
#include "plan/layout/realms.h"

namespace concilio {

namespace {
// Shorter blocks would make many small windows of a file that has grown: a first call is often a header's.
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

}  // namespace concilio
