// Which owners' spans reach into a stretch of the file. An owner has one or several spans, and the spans of
// different owners may overlap.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "pattern/access.h"

namespace concilio::plan {

class SpanIndex {
 public:
  struct Span {
    pattern::Interval file;
    size_t owner;
  };
  SpanIndex() = default;
  explicit SpanIndex(std::vector<Span> spans);
  bool empty() const { return spans_.empty(); }

  // Calls visit(owner) for every span that has bytes in the stretch, in a time that grows with their number
  // and with the logarithm of that of all spans.
  template <typename Visit>
  void for_each_in(pattern::Interval stretch, Visit&& visit) const {
    const auto behind = std::partition_point(spans_.begin(), spans_.end(),
                                             [&](const Span& span) { return span.file.begin < stretch.end; });
    if (!spans_.empty()) go_down(1, 0, leaves_, static_cast<size_t>(behind - spans_.begin()), stretch, visit);
  }

 private:
  // The spans from `first` on below a vertex, of which those from `end` on begin behind the stretch.
  template <typename Visit>
  void go_down(size_t vertex, size_t first, size_t below, size_t end, pattern::Interval stretch,
               Visit& visit) const {
    if (first >= end || furthest_[vertex] <= stretch.begin) return;
    if (below == 1) return visit(spans_[first].owner);
    go_down(2 * vertex, first, below / 2, end, stretch, visit);
    go_down(2 * vertex + 1, first + below / 2, below / 2, end, stretch, visit);
  }

  std::vector<Span> spans_;        // by their beginning
  size_t leaves_ = 1;              // of a full binary tree over the spans; the root is vertex 1
  std::vector<int64_t> furthest_;  // of the spans below each vertex, the end that lies furthest
};

}  // namespace concilio::plan
