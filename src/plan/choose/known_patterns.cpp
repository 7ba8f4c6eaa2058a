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
  const auto place = std::find_if(known_.begin(), known_.end(),
                                  [&](const Known& known) { return known.pattern == pattern; });
  if (place != known_.end()) {
    std::rotate(place, place + 1, known_.end());
  } else {
    if (known_.size() == most_patterns) known_.erase(known_.begin());
    known_.push_back({pattern, {}});
  }
  return known_.back().experience;
}

}  // namespace concilio::plan
