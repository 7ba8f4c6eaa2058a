#include "plan/facts/digest.h"

#include <algorithm>

namespace concilio::plan {

Digest digest_of(const pattern::Access& file, const pattern::Access& memory, int64_t position,
                 int64_t bytes) {
  Digest digest;
  digest.ranks = 1;
  digest.shift_min = INT64_MAX;
  digest.shift_max = INT64_MIN;
  if (bytes == 0) return digest;
  const int64_t end = position + bytes;
  const pattern::Interval bounds = file.bounds(position, end);
  const pattern::Access::Granule granule = file.granule(position, end);
  digest.monotone = file.monotone_within(end);
  digest.first = bounds.begin;
  digest.end = bounds.end;
  digest.bytes = digest.max_rank_bytes = bytes;
  digest.file_pieces = digest.max_rank_file_pieces =
      digest.monotone && bounds.length() == bytes ? 1 : std::max<int64_t>(1, file.pieces(position, end));
  digest.memory_pieces = std::max<int64_t>(1, memory.pieces(0, bytes));
  digest.span = bounds.length();
  digest.ranks_with_data = 1;
  digest.granule = granule.granule;
  digest.anchor = granule.anchor;
  digest.description_bytes = file.nest()->memory_bytes();
  return digest;
}

Histogram combine(const Histogram& a, const Histogram& b) {
  Histogram result;
  for (size_t i = 0; i < a.buckets.size(); ++i) result.buckets[i] = combine(a.buckets[i], b.buckets[i]);
  return result;
}

Histogram histogram_of(const pattern::Access& file, int64_t position, int64_t bytes,
                       pattern::Interval range) {
  Histogram result;
  const int64_t end = position + bytes;
  // Data that are not in the file's order have no part in a bucket. Planning by buckets is not for them.
  if (bytes == 0 || !file.monotone_within(end)) return result;
  int64_t data = position;
  for (int i = 0; i < bucket_count && data < end; ++i) {
    const int64_t border = bucket_border(range.begin, range.end, i + 1);
    const int64_t next = std::clamp(file.data_before(border), data, end);
    if (next == data) continue;
    result.buckets[static_cast<size_t>(i)] = {file.offset_of(data), file.offset_of(next - 1) + 1,
                                              next - data};
    data = next;
  }
  return result;
}

}  // namespace concilio::plan
