// Blocks of an n-dimensional array, and the bytes of a block in memory: what a test expects a dataset to
// contain.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace scorpio_oracle {

using Extents = std::vector<int64_t>;
using Bytes = std::vector<uint8_t>;

int64_t elements_of(const Extents& extents);

struct Block {
  Extents start, count;

  int64_t elements() const { return elements_of(count); }
};

// An array of `dims` elements of element_bytes each, in C order.
struct Array {
  Extents dims;
  int64_t element_bytes = 1;
  Bytes bytes;

  Array() = default;
  Array(Extents extents, int64_t bytes_each);

  // Copies the block's bytes to or from contiguous memory.
  Bytes part(const Block& block) const;
  void set_part(const Block& block, const Bytes& values);
  // A row is the part that belongs to one index of the first dimension.
  int64_t row_bytes() const;
  Bytes rows(const std::vector<int64_t>& map) const;
  void set_rows(const std::vector<int64_t>& map, const Bytes& values);

 private:
  // Calls visit with the first byte in the array, the first byte in the block, and a length.
  void each_run(const Block& block, const std::function<void(int64_t, int64_t, int64_t)>& run) const;
};

// `count` random bytes that follow from `stream`.
Bytes random_bytes(uint64_t stream, int64_t count);

std::string text_of(const Extents& extents);
std::string text_of(const Block& block);

}  // namespace scorpio_oracle
