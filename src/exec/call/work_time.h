#pragma once

#include <algorithm>
#include <cstdint>

namespace concilio::exec {

// When the ranks of a node were at work: from the begin of the first to the end of the last. The longest time
// of a single rank would be too short where ranks wait for cores, because a rank that has to wait begins
// late.
struct WorkTime {
  int64_t node = 0, begin_ns = 0, end_ns = 0;  // by the node's clock
  int64_t ns() const { return end_ns - begin_ns; }
};

// Ranks of one node are combined into one interval. Of several nodes the result is the one that took longest,
// as their clocks have nothing in common. All ranks of a node must be combined before nodes are.
inline WorkTime combine(const WorkTime& a, const WorkTime& b) {
  if (a.node != b.node) return a.ns() >= b.ns() ? a : b;
  return {a.node, std::min(a.begin_ns, b.begin_ns), std::max(a.end_ns, b.end_ns)};
}

}  // namespace concilio::exec
