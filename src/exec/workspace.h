// The memory that two-phase works in, made before a call's first round and kept for the calls after it: once
// all ranks have theirs, no rank can fail for want of memory while others wait for it.
#pragma once

#include "exec/engine.h"

namespace concilio {

class Workspace {
 public:
  // Collective over the engine's team. All ranks succeed or all fail. What is there for other plans stays,
  // unless on some rank both would take more than its budget: then short_of_memory is set on all ranks, and
  // only this plan may use the workspace.
  Status prepare(Engine& engine, const Plan& plan, bool& short_of_memory);

  std::byte* segment() const { return segment_; }         // shared by the node
  const Buffer& old_bytes() const { return old_bytes_; }  // an aggregator's: what the file held
  const Buffer& staging() const { return staging_; }      // an aggregator's: two messages from other nodes

 private:
  std::byte* segment_ = nullptr;
  Charge segment_charge_;
  Buffer old_bytes_, staging_;
};

}  // namespace concilio
