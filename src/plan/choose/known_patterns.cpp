#include "plan/choose/known_patterns.h"

#include <algorithm>

namespace concilio::plan {

Experience& Experiences::of(Operation operation, const Digest& digest) {
  const Pattern pattern = {static_cast<int64_t>(operation),
                           digest.bytes,
                           digest.file_pieces,
                           digest.memory_pieces,
                           digest.span,
                           digest.end - digest.first,
                           digest.ranks_with_data,
                           digest.max_rank_bytes,
                           digest.max_rank_file_pieces,
                           digest.granule};
  auto known = std::ranges::find(known_, pattern, &Known::pattern);
  if (known == known_.end()) {
    if (known_.size() < most_patterns)
      known = known_.emplace(known_.end());
    else
      known = std::ranges::min_element(known_, {}, &Known::last_met);
    *known = {pattern, {}};
  }
  known->last_met = ++met_;
  return known->experience;
}

}  // namespace concilio::plan
