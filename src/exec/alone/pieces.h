// Goes through an access's contiguous pieces, in parts of any length.
#pragma once

#include <algorithm>

#include "pattern/access.h"

namespace concilio::exec {

class Pieces {
 public:
  Pieces(const pattern::Access& access, int64_t position) : cursor_(access, position) {}

  // Offset of the next byte, and how many bytes follow it contiguously (at most max_bytes).
  pattern::Interval peek(int64_t max_bytes) {
    if (used_ == length_) {
      if (index_ == chunk_.count) {
        chunk_ = cursor_.next(max_bytes);
        index_ = 0;
      }
      offset_ = chunk_.offset(index_++);
      length_ = chunk_.length;
      used_ = 0;
    }
    return {offset_ + used_, offset_ + std::min(length_, used_ + max_bytes)};
  }
  void take(int64_t bytes) { used_ += bytes; }

 private:
  pattern::Cursor cursor_;
  pattern::Chunk chunk_;
  int64_t index_ = 0, offset_ = 0, length_ = 0, used_ = 0;
};

}  // namespace concilio::exec
