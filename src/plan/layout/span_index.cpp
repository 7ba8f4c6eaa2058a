#include "plan/layout/span_index.h"

#include <utility>

namespace concilio::plan {

SpanIndex::SpanIndex(std::vector<Span> spans)
    : spans_(std::move(spans)), leaves_(std::bit_ceil(spans_.size())), furthest_(2 * leaves_, INT64_MIN) {
  std::sort(spans_.begin(), spans_.end(),
            [](const Span& a, const Span& b) { return a.file.begin < b.file.begin; });
  for (size_t i = 0; i < spans_.size(); ++i) furthest_[leaves_ + i] = spans_[i].file.end;
  for (size_t i = leaves_ - 1; i > 0; --i) furthest_[i] = std::max(furthest_[2 * i], furthest_[2 * i + 1]);
}

}  // namespace concilio::plan
