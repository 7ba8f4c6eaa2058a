// What ranks ask for, in the fixed-size summaries that planning goes by. Whoever gathers facts, from ranks or
// from a pattern that nobody runs, gathers these.
#pragma once

#include <algorithm>
#include <array>

#include "plan/facts/facts.h"

namespace concilio {

// Of one rank that moves data [position, position + bytes) of `file` and [0, bytes) of `memory`.
Digest digest_of(const Access& file, const Access& memory, int64_t position, int64_t bytes);

// Pieces of the file, at least one, and their mean length.
inline int64_t pieces_of(const Digest& digest) {
  return std::max<int64_t>(1, digest.file_pieces);
}
inline int64_t mean_piece_bytes(const Digest& digest) {
  return digest.bytes / pieces_of(digest);
}

// The buckets of one rank or of many together, as one value to reduce.
struct Histogram {
  std::array<Bucket, bucket_count> buckets;
};
Histogram combine(const Histogram& a, const Histogram& b);
// Of data [position, position + bytes) of `file`, in the buckets of `range`, which holds them all.
Histogram histogram_of(const Access& file, int64_t position, int64_t bytes, Interval range);

}  // namespace concilio
