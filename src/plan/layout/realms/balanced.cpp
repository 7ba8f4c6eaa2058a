// Balanced realms: every aggregator gets equally many data bytes, by the histogram of the call's range, not
// equally long stretches of the file. For sparse and clustered accesses, which even realms leave to few
// aggregators (Coloma et al., section 5.2, names the need).
#include <algorithm>

#include "plan/facts/spans.h"
#include "plan/layout/realms.h"

namespace concilio::plan {

namespace {

// The buckets' bytes in the region, and where they lie. The bytes of a bucket count as spread evenly over its
// interval.
std::vector<Bucket> buckets_in(const Region& region) {
  std::vector<Bucket> inside;
  for (const Bucket& bucket : region.facts.buckets) {
    if (bucket.bytes <= 0 || bucket.end <= bucket.first) continue;
    const pattern::Interval tight{bucket.first, bucket.end};
    const int64_t part = bytes_within(tight, region.group.spans);
    const auto bytes = static_cast<int64_t>(static_cast<__int128>(bucket.bytes) * part / tight.length());
    if (bytes > 0) inside.push_back({bucket.first, bucket.end, bytes});
  }
  return inside;
}

}  // namespace

Division divide_balanced(const Region& region, Hosts& hosts) {
  const std::vector<Bucket> buckets = buckets_in(region);
  if (buckets.empty()) return divide_even(region, hosts);
  int64_t bytes = 0;
  for (const Bucket& bucket : buckets) bytes += bucket.bytes;
  const pattern::Interval range = region.range();
  Division division;
  division.alignment = unit_for(region.facts, bytes / region.wanted);
  size_t at = 0;
  int64_t before = 0;  // bytes of the buckets before `at`
  division.portions = between(aligned_borders(range, region.wanted, division.alignment, [&](int64_t i) {
    const auto wished = static_cast<int64_t>(static_cast<__int128>(bytes) * i / region.wanted);
    while (at + 1 < buckets.size() && before + buckets[at].bytes <= wished) before += buckets[at++].bytes;
    const Bucket& bucket = buckets[at];
    const __int128 into = static_cast<__int128>(bucket.end - bucket.first) * (wished - before);
    return bucket.first + static_cast<int64_t>(into / bucket.bytes);
  }));
  return division;
}

}  // namespace concilio::plan
