#include "plan/facts/facts.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"

namespace concilio::plan {
namespace {

// Sums over ranks never overflow: they stop at the largest number, which keeps them associative.
int64_t saturating_add(int64_t a, int64_t b) {
  return checked_add(a, b).value_or(INT64_MAX);
}

void combine_ranges(const Digest& a, const Digest& b, Digest& out) {
  out.first = std::min(a.first, b.first);
  out.end = std::max(a.end, b.end);
  out.shift_min = std::min(a.shift_min, b.shift_min);
  out.shift_max = std::max(a.shift_max, b.shift_max);
}

// The anchor is reduced to [0, granule), so that it does not depend on the order in which ranks were
// combined.
void combine_granules(const Digest& a, const Digest& b, Digest& out) {
  const pattern::Access::Granule both =
      combine(pattern::Access::Granule{a.granule, a.anchor}, pattern::Access::Granule{b.granule, b.anchor});
  out.granule = both.granule;
  out.anchor = both.granule > 0 ? both.anchor - align_down(both.anchor, both.granule) : 0;
}

void combine_errors(const Digest& a, const Digest& b, Digest& out) {
  const bool take_b = a.error_kind == 0 || (b.error_kind != 0 && std::pair(b.error_rank, b.error_kind) <
                                                                     std::pair(a.error_rank, a.error_kind));
  const Digest& first = take_b ? b : a;
  out.error_kind = first.error_kind;
  out.error_rank = first.error_kind == 0 ? 0 : first.error_rank;
}

// A side without bytes has no range, granule or shift to contribute.
Digest only_meaningful(Digest digest) {
  if (digest.bytes > 0) return digest;
  digest.first = digest.end = digest.granule = digest.anchor = digest.shift_min = digest.shift_max = 0;
  return digest;
}

}  // namespace

Digest combine(const Digest& left, const Digest& right) {
  const Digest a = only_meaningful(left), b = only_meaningful(right);
  Digest out;
  if (a.bytes > 0 && b.bytes > 0) {
    combine_ranges(a, b, out);
  } else {
    const Digest& only = a.bytes > 0 ? a : b;
    combine_ranges(only, only, out);
  }
  out.bytes = saturating_add(a.bytes, b.bytes);
  out.file_pieces = saturating_add(a.file_pieces, b.file_pieces);
  out.memory_pieces = saturating_add(a.memory_pieces, b.memory_pieces);
  out.span = saturating_add(a.span, b.span);
  out.ranks = a.ranks + b.ranks;
  out.ranks_with_data = a.ranks_with_data + b.ranks_with_data;
  out.max_rank_bytes = std::max(a.max_rank_bytes, b.max_rank_bytes);
  out.max_rank_file_pieces = std::max(a.max_rank_file_pieces, b.max_rank_file_pieces);
  combine_granules(a, b, out);
  out.description_bytes = std::max(a.description_bytes, b.description_bytes);
  out.monotone = a.monotone && b.monotone;
  out.stretches = a.stretches && b.stretches;
  out.likeness = std::min(a.likeness, b.likeness);
  out.kept = a.kept & b.kept;
  out.staging_bytes = std::max(a.staging_bytes, b.staging_bytes);
  out.more = a.more || b.more;
  out.wrote_alone = a.wrote_alone || b.wrote_alone;
  combine_errors(a, b, out);
  return out;
}

Bucket combine(const Bucket& a, const Bucket& b) {
  return {std::min(a.first, b.first), std::max(a.end, b.end), saturating_add(a.bytes, b.bytes)};
}

int64_t bucket_border(int64_t first, int64_t end, int i) {
  return first + static_cast<int64_t>(static_cast<__int128>(end - first) * i / bucket_count);
}

int64_t most_ranks_of_node(const Facts& facts) {
  int64_t ranks = 1;
  for (const NodeFacts& node : facts.nodes) ranks = std::max(ranks, node.ranks);
  return ranks;
}

}  // namespace concilio::plan
