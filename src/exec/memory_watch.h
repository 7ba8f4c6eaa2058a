// A node's available memory decides how many aggregators it takes on and how large their windows are. A
// program may allocate or free much between two calls of the same pattern. So one rank of each node looks
// again, at most once a second, and the ranks plan anew where the memory is no longer what the plan was made
// with.
#pragma once

#include <cstdint>

#include "plan/facts/facts.h"
#include "plan/layout/layout.h"

namespace concilio::exec {

// A node's available memory, as nodes tell it each other: the system's answer in steps of an eighth, so that
// aggregators do not move from call to call because some node has a few pages more. What this library holds
// already counts as available.
int64_t available_memory(int64_t held_bytes);

class MemoryWatch {
 public:
  // Watches nothing.
  MemoryWatch() = default;
  // Watches over a node for a plan that was made of these facts.
  MemoryWatch(const plan::Facts& facts, const plan::Layout& layout, int node);
  // Whether the node has less than half or more than twice the memory that the plan counted on, as far as it
  // matters to plans. Where the system cannot be asked for want of memory, nothing has changed.
  bool has_changed();
  // What the plan lets the node's ranks hold together.
  int64_t held_bytes() const { return held_bytes_; }

 private:
  bool watches_ = false;
  int64_t planned_bytes_ = 0;  // what the plan was made with
  int64_t enough_bytes_ = 0;   // more makes no difference
  int64_t held_bytes_ = 0;
  int64_t looked_ns_ = 0;
};

}  // namespace concilio::exec
