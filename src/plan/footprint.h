// How much internal memory a plan takes, and how much it may take. Whoever executes a plan keeps to these
// numbers.
#pragma once

#include <cstdint>
#include <string>

#include "plan/plan.h"

namespace concilio {

// What the memory of a two-phase call depends on, besides its window.
struct Shape {
  int64_t realms = 0;
  int64_t slots = 2;
  int64_t granule = 1;
  int64_t spans = 1;  // of the realm that has most
  int64_t nodes = 1;
  int64_t ranks = 1;  // of the smallest node
  bool writes = false;
};
Shape shape_of(const Facts& facts, const Plan& plan);

struct Footprint {
  int64_t map_bytes, image_bytes, segment_bytes, staging_bytes, peak_bytes;
};
// Map: one byte a granule, two more for every span whose borders cut granules, in whole cache lines.
// Image: a message head, the map, another head, the window: see exec/images.h. Segment: for each slot and
// realm an image and its counters. Staging: a write keeps the old bytes of one window, for the holes in it.
// Between nodes an aggregator holds two messages, one coming in and one being merged, each at most an image.
// Peak: staging and an equal share of the segment.
Footprint footprint(const Shape& shape, int64_t window_bytes);

// The most realms that fit in limit_bytes a rank with this window; may be 0.
int64_t most_realms(const Shape& shape, int64_t window_bytes, int64_t limit_bytes);

// What one rank may take: its limit, but no more than its share of half its node's free memory, and never
// less than memory_floor_bytes. `warning` is set where the floor was needed.
struct MemoryLimit {
  int64_t bytes;
  std::string warning;
};
MemoryLimit memory_limit(const Facts& facts);

int64_t sieve_buffer_bytes(const Facts& facts);

}  // namespace concilio
