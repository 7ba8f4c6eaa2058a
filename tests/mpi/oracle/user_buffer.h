// The buffer of a rank for one access: filled with random bytes, with space before and after the data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/random.h"
#include "oracle_case.h"

namespace oracle {

class UserBuffer {
 public:
  UserBuffer(const Access& access, uint64_t stream) : low_(0) {
    int64_t high = 0;
    for (const Piece& piece : access.buffer) {
      low_ = std::min(low_, piece.offset);
      high = std::max(high, piece.offset + piece.length);
    }
    low_ -= margin;
    bytes_.resize(static_cast<size_t>(high + margin - low_));
    for (size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = byte_of(stream, static_cast<int64_t>(i));
  }
  // What MPI is given, which the offsets of the access's buffer count from.
  uint8_t* origin() { return bytes_.data() - low_; }
  uint8_t& at(int64_t offset) { return bytes_[static_cast<size_t>(offset - low_)]; }
  int64_t low() const { return low_; }
  std::vector<uint8_t>& bytes() { return bytes_; }
  const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  static constexpr int64_t margin = 24;
  int64_t low_;
  std::vector<uint8_t> bytes_;
};

}  // namespace oracle
