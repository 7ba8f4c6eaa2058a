// Cyclic realms: the blocks of the file are dealt round-robin to the aggregators. If the file is striped over
// storage targets, the blocks are its stripes, and each target is served by few aggregators (group-cyclic:
// Liao and Choudhary, "Dynamically Adapting File Domain Partitioning Methods for Collective I/O Based on
// Underlying Parallel File System Locking Protocols", section 3.3): by one if there are at most as many
// aggregators as targets, else by as few as possible. The realms belong to the file, as persistent ones do.
#include <algorithm>

#include "plan/layout/realms.h"

namespace concilio::plan {

namespace {

// The size of one window: small enough that the aggregators work at the same time in a small call, large
// enough for a request.
constexpr int64_t default_block_bytes = 1 << 20;

// Aggregator i of `count` serves the targets from i * targets / count on; no other aggregator serves them.
Division targets_dealt_out(int64_t stripe_bytes, int64_t targets, int64_t count) {
  Division division;
  division.alignment = stripe_bytes;
  division.piece_bytes = stripe_bytes;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t first = i * targets / count, last = (i + 1) * targets / count;
    const Result<pattern::NestRef> stripes =
        pattern::Nest::repeat(pattern::Nest::bytes(stripe_bytes), last - first, stripe_bytes);
    if (!stripes) return {};
    division.portions.push_back({pattern::Access(*stripes, first * stripe_bytes, targets * stripe_bytes)});
  }
  return division;
}

}  // namespace

Division divide_cyclic(const Region& region, Hosts&) {
  const StorageFacts& storage = region.facts.storage;
  const int64_t wished = region.facts.wishes.realm_block_bytes;
  const bool striped = storage.stripe_bytes > 0 && storage.stripe_targets > 1 && wished <= 0;
  if (striped && region.wanted <= storage.stripe_targets &&
      storage.stripe_bytes <= INT64_MAX / 2 / storage.stripe_targets) {
    return targets_dealt_out(storage.stripe_bytes, storage.stripe_targets, region.wanted);
  }
  // With a multiple of the number of targets, aggregator i uses only target i modulo that number.
  const int64_t count = striped && region.wanted > storage.stripe_targets
                            ? region.wanted / storage.stripe_targets * storage.stripe_targets
                            : region.wanted;
  const int64_t unit = unit_bytes(region.facts);
  const int64_t block_bytes = wished > 0                 ? wished
                              : storage.stripe_bytes > 0 ? storage.stripe_bytes
                                                         : std::max(default_block_bytes, unit);
  return dealt_out(block_bytes, count, unit);
}

}  // namespace concilio::plan
