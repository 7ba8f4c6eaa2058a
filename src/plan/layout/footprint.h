// How much internal memory a two-phase call takes on each node, and how much it may take. Whoever executes a
// layout keeps to these numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "plan/layout/layout.h"

namespace concilio {

// The most parts that a window of a realm has.
int64_t most_parts(const Realm& realm, int64_t window_bytes);
// Map: one byte a granule, two more for every part of a window whose borders cut granules, in whole cache
// lines.
int64_t map_bytes(const Realm& realm, int64_t window_bytes, int64_t granule);
// The map, a message head, the window: see exec/two_phase/images.h.
int64_t image_bytes(int64_t window_bytes, int64_t map_bytes);
// Room for a message of another node: a wish, and the image that answers it.
int64_t message_bytes(int64_t image_bytes);
// What a node's segment has for one realm: for each slot an image and its counters.
int64_t slots_bytes(const Layout& layout, int64_t image_bytes);
// Private to the realm's aggregator: a write keeps the old bytes of one window, for the
// holes in it, and what it may hold back; where
// other nodes send, two messages of theirs, one coming in and one being merged, each at most an image.
int64_t staging_bytes(const Layout& layout, const Group& group, const Realm& realm);
// The same of a realm whose windows had this size.
struct Sizes {
  int64_t window_bytes, map_bytes, image_bytes, slots_bytes, staging_bytes;
};
Sizes sizes_of(const Layout& layout, const Group& group, const Realm& realm, int64_t window_bytes);

// What two-phase may take on one node.
struct NodeLimit {
  int64_t rank_bytes;  // private memory and an equal share of the segment, of each rank
  int64_t node_bytes;  // of all its ranks together
};
NodeLimit node_limit(const Facts& facts, const NodeFacts& node);

// What one rank may take: its limit, but no more than its share of half its node's free memory, and never
// less than memory_floor_bytes. `warning` is set where the floor was needed.
struct MemoryLimit {
  int64_t bytes;
  std::string warning;
};
MemoryLimit memory_limit(const Facts& facts);

int64_t sieve_buffer_bytes(const Facts& facts);

}  // namespace concilio
