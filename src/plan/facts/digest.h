// What ranks ask for, as the fixed-size summaries that planning uses. Facts are gathered from these, whether
// the ranks exist or their pattern is only described.
#pragma once

#include <algorithm>
#include <array>

#include "plan/facts/facts.h"

namespace concilio::plan {

// The digest of one rank that moves data [position, position + bytes) of `file` and [0, bytes) of `memory`.
Digest digest_of(const pattern::Access& file, const pattern::Access& memory, int64_t position, int64_t bytes);

// The number of pieces of the file, at least 1, and their mean length.
inline int64_t pieces_of(const Digest& digest) {
  return std::max<int64_t>(1, digest.file_pieces);
}
inline int64_t mean_piece_bytes(const Digest& digest) {
  return digest.bytes / pieces_of(digest);
}

// The buckets of one rank or of many together, as one value for a reduction.
struct Histogram {
  std::array<Bucket, bucket_count> buckets;
};
Histogram combine(const Histogram& a, const Histogram& b);
// The histogram of data [position, position + bytes) of `file`. The buckets divide `range`, which holds all
// these data.
Histogram histogram_of(const pattern::Access& file, int64_t position, int64_t bytes, pattern::Interval range);

}  // namespace concilio::plan
