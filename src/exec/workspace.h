// The memory that two-phase works in, made before a call's first round and kept for the calls after it: once
// all ranks have theirs, no rank can fail for want of memory while others wait for it.
#pragma once

#include "exec/engine.h"

namespace concilio {

class Workspace {
 public:
  // Collective over the engine's team. All ranks succeed or all fail; `so_far`: whether this one can.
  Status prepare(Engine& engine, const Plan& plan, Status so_far);

  std::byte* segment() const { return segment_; }         // shared by the node
  const Buffer& old_bytes() const { return old_bytes_; }  // an aggregator's: what the file held
  const Buffer& staging() const { return staging_; }      // an aggregator's: two messages from other nodes

 private:
  std::byte* segment_ = nullptr;
  Charge segment_charge_;
  Buffer old_bytes_, staging_;
};

}  // namespace concilio
