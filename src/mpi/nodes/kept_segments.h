// Which segments stay with their teams when the files are closed. To make a segment and to touch it for the
// first time takes longer than a call that works in it, and many programs open one file after another. So a
// node keeps the windows of a file or two, as long as it has plenty of memory.
#pragma once

#include <cstdint>
#include <utility>

#include "base/system/descriptor.h"

namespace concilio::mpi {

// A segment's part of what the first rank of a node allows to be kept.
class KeptSegment {
 public:
  // The segment is not kept.
  KeptSegment() = default;
  // A segment that was made just now, for so many ranks of the node. Without a descriptor it is memory of
  // this process alone.
  KeptSegment(int64_t bytes, int ranks, const Descriptor& memory);
  KeptSegment(KeptSegment&& other) noexcept { *this = std::move(other); }
  KeptSegment& operator=(KeptSegment&& other) noexcept {
    std::swap(kept_, other.kept_);
    std::swap(counted_bytes_, other.counted_bytes_);
    return *this;
  }
  ~KeptSegment();
  bool kept() const { return kept_; }

 private:
  bool kept_ = false;
  int64_t counted_bytes_ = 0;
};

}  // namespace concilio::mpi
