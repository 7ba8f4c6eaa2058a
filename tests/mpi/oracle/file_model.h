// What the file must hold, kept byte by byte.
#pragma once

#include <cstdint>
#include <vector>

#include "oracle_case.h"

namespace oracle {

using namespace tests;

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

// Calls visit(offset in the file, what is there) for every byte of the file that an access reaches.
template <typename Visit>
void for_each_cell(const Access& access, Visit visit) {
  size_t next = 0;
  const std::vector<Cell> cells = cells_of(access);
  for (const Piece& piece : access.file) {
    for (int64_t i = 0; i < piece.length; ++i) visit(piece.offset + i, cells[next++]);
  }
}

}  // namespace oracle
