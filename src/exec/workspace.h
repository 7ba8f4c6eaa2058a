// The memory that two-phase works in, made before a call's first round and kept for the calls after it: once
// all ranks have theirs, no rank can fail for want of memory while others wait for it. Only what can be done
// without is made when it is needed.
#pragma once

#include "exec/open_file.h"
#include "plan/plan.h"

namespace concilio {

class Workspace {
 public:
  // This rank's own buffers. What is there for other plans stays, unless both would take more than the
  // budget: then short_of_memory is set, and where that is so on some rank, only this plan may use the
  // workspace.
  Status make_room(const OpenFile& opened, const Plan& plan, bool& short_of_memory);
  // The node's segment. Collective over the file's team; all ranks succeed or all fail.
  Status share(const OpenFile& opened, const Plan& plan);

  std::byte* segment() const { return segment_; }     // shared by the node
  const Buffer& staging() const { return staging_; }  // an aggregator's: two messages from other nodes
  // An aggregator's, for what the file held in a window with holes: many programs' windows never have any.
  // nullptr: there is no memory.
  std::byte* old_bytes(const OpenFile& opened, int64_t bytes);

 private:
  std::byte* segment_ = nullptr;
  Charge segment_charge_;
  Buffer old_bytes_, staging_;
};

}  // namespace concilio
