// What the file must hold, kept byte by byte.
#pragma once

#include <cstdint>
#include <vector>

#include "type_spec.h"

namespace oracle {

class FileModel {
 public:
  void reset(int64_t size, uint64_t stream);  // random bytes
  void resize(int64_t size);                  // new bytes are zeros
  void grow(int64_t size) {
    if (size > this->size()) resize(size);
  }
  void set(int64_t offset, uint8_t value) {
    bytes_[static_cast<size_t>(offset)] = value;
    undefined_[static_cast<size_t>(offset)] = 0;
  }

  int64_t size() const { return static_cast<int64_t>(bytes_.size()); }
  uint8_t operator[](int64_t offset) const { return bytes_[static_cast<size_t>(offset)]; }
  // Nobody wrote this byte, and the standard does not say what it is. Concilio does: 0.
  bool undefined(int64_t offset) const { return undefined_[static_cast<size_t>(offset)] != 0; }

 private:
  std::vector<uint8_t> bytes_, undefined_;
};

// Calls visit(offset in `to`, offset in `from`, position) for each of the first bytes that both lists have.
template <typename Visit>
void for_each_byte(const std::vector<Piece>& to, const std::vector<Piece>& from, Visit visit) {
  size_t other = 0;
  int64_t used = 0, position = 0;
  for (const Piece& piece : to) {
    for (int64_t i = 0; i < piece.length; ++i) {
      while (other < from.size() && used == from[other].length) {
        ++other;
        used = 0;
      }
      if (other == from.size()) return;
      visit(piece.offset + i, from[other].offset + used++, position++);
    }
  }
}

}  // namespace oracle
