#pragma once

#include <algorithm>
#include <cstdint>

namespace concilio {

// When the ranks of a node were at work: from the first one's begin to the last one's end. The longest time
// of any one rank would be less where ranks wait for cores: who has to wait begins late.
struct WorkTime {
  int64_t node = 0, begin_ns = 0, end_ns = 0;  // by the node's clock
  int64_t ns() const { return end_ns - begin_ns; }
};

// Of several nodes the one that took longest: their clocks have nothing in common. All ranks of a node are to
// be combined before nodes are.
inline WorkTime combine(const WorkTime& a, const WorkTime& b) {
  if (a.node != b.node) return a.ns() >= b.ns() ? a : b;
  return {a.node, std::min(a.begin_ns, b.begin_ns), std::max(a.end_ns, b.end_ns)};
}

}  // namespace concilio
