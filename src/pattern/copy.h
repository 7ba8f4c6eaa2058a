// Fused copies: the bytes that one access describes are copied straight to those that another describes,
// without packing in between.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pattern/access.h"

namespace concilio::pattern {

// One side of a copy: the data of `access` from data position `position` on. Offset o of the access lies in
// memory at base + (o - origin). For a user's buffer, base is its address and origin is 0. For a window that
// holds the file offsets [lo, hi), base is its address and origin is lo.
struct Side {
  const Access* access;
  int64_t position;
  std::byte* base;
  int64_t origin = 0;
};

// Copies `bytes` bytes of stream. The two sides must not overlap in memory. The inner loops are specialised
// for runs of pieces of 1, 2, 4, 8 and so on to 256 bytes, and for lists of blocks against contiguous memory.
void copy(const Side& from, const Side& to, int64_t bytes);

}  // namespace concilio::pattern
