// The memory that two-phase I/O works in. It is allocated before the first round of a call and kept for later
// calls: once all ranks have theirs, no rank can run out of memory while others wait for it. Only memory that
// a call can do without is allocated when it is needed.
#pragma once

#include "exec/call/open_file.h"
#include "plan/plan.h"

namespace concilio::exec {

class Workspace {
 public:
  // Allocates this rank's own buffers. Buffers for other plans are kept, unless both together would take more
  // than limit_bytes: then short_of_memory is set, and if it is set on any rank, only this plan may use the
  // workspace.
  Status make_room(const OpenFile& opened, const plan::Plan& plan, int64_t limit_bytes,
                   bool& short_of_memory);
  // Allocates the node's shared segment. Collective over the file's team; all ranks succeed or all fail.
  Status share(const OpenFile& opened, const plan::Plan& plan);

  std::byte* segment() const { return segment_; }  // shared by the node
  // An aggregator's room for two messages from other nodes.
  const Buffer& staging() const { return staging_; }
  // An aggregator's buffer for the bytes that the file held in a window with holes. It is allocated on
  // demand, since the windows of many programs never have holes. nullptr: there is no memory.
  std::byte* old_bytes(const OpenFile& opened, int64_t bytes);

 private:
  std::byte* segment_ = nullptr;
  Charge segment_charge_;
  Buffer old_bytes_, staging_;
  int64_t most_old_bytes_ = 0;  // what plans for writes may ask old_bytes() for
};

}  // namespace concilio::exec
