// The access-pattern algebra, part two: an Access is a nest tiled without end, as MPI tiles a filetype over a
// file and a memory datatype over a buffer. Byte p of the access's data stream lies at
//
//   displacement + (p / nest.size()) * extent + nest.offset_of(p % nest.size())
//
// A request is an Access and an interval [begin, end) of data positions. Positions and offsets are bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "pattern/datatype.h"
#include "pattern/nest.h"

namespace concilio {

struct Interval {
  int64_t begin = 0, end = 0;  // [begin, end)
  int64_t length() const { return end - begin; }
  bool empty() const { return end <= begin; }
  bool operator==(const Interval&) const = default;
};

class Access {
 public:
  Access() = default;
  Access(NestRef nest, int64_t displacement, int64_t extent);
  // A datatype laid out from `displacement`. A tile that simply continues its predecessor is folded, so that
  // the contiguous access is one endless run.
  static Access of(const DataType& type, int64_t displacement);
  static Access contiguous(int64_t displacement);  // every byte from displacement on

  const NestRef& nest() const { return nest_; }
  int64_t displacement() const { return displacement_; }
  int64_t extent() const { return extent_; }
  bool empty() const { return nest_->size() == 0; }   // describes no bytes at all
  bool is_contiguous() const { return contiguous_; }  // every byte from displacement on
  // Offsets never decrease along the stream and no byte comes twice, over all tiles.
  bool monotone() const { return monotone_; }
  // The same for the first `data_bytes` of the stream only. May say no, never yes, wrongly where whole tiles
  // are not monotone.
  bool monotone_within(int64_t data_bytes) const;

  // All O(log D). `position` may lie in any tile.
  int64_t offset_of(int64_t position) const;  // of the byte at this data position; saturates
  // The same; nothing where 64 bits do not hold it.
  std::optional<int64_t> exact_offset_of(int64_t position) const;
  // Whether 64 bits hold the offsets of all of data [begin, end), and where its last byte ends.
  bool reaches(int64_t begin, int64_t end) const;
  // Of a monotone access: how many data bytes lie at offsets < offset. Its inverse on touched bytes. If only
  // the nest is monotone, but not its tiling, the same for the first tile.
  int64_t data_before(int64_t offset) const;
  // Smallest interval of offsets that holds data [begin, end); {0,0} if begin == end. O(log D) if monotone,
  // else the tiles' bounds (not necessarily the tightest).
  Interval bounds(int64_t begin, int64_t end) const;
  // Upper bound for the number of pieces in data [begin, end), from the description alone.
  int64_t pieces(int64_t begin, int64_t end) const;
  // Every piece of data [begin, end) begins and ends at anchor + k * granule. {0, 0} if there are none.
  struct Granule {
    int64_t granule = 0, anchor = 0;
  };
  Granule granule(int64_t begin, int64_t end) const;
  // Equal for equal patterns, whatever their displacement.
  uint64_t hash() const;

 private:
  friend class Cursor;
  // Tiles of a few pieces are written out until they make a list of this length, so that a cursor hands out
  // lists worth a loop. Bounds the memory that this takes.
  static constexpr int64_t unrolled_pieces = 64;
  int64_t tile_origin(int64_t tile) const;
  void unroll();
  NestRef nest_ = Nest::empty();
  int64_t displacement_ = 0, extent_ = 0;
  bool contiguous_ = false, monotone_ = true;
};

// The granule of two sets of pieces taken together.
Access::Granule combine(Access::Granule a, Access::Granule b);

// A stretch of an access's stream: `count` pieces of `length` bytes; piece i at base + i * stride, or, where
// offsets is not null, at base + offsets[i].
struct Chunk {
  int64_t base = 0, length = 0, stride = 0, count = 0;
  const int64_t* offsets = nullptr;
  int64_t bytes() const { return length * count; }
  int64_t offset(int64_t i) const { return base + (offsets ? offsets[i] : i * stride); }
};

// A stretch of whole blocks of differing lengths: block i lies at base + offsets[i] and is positions[i + 1] -
// positions[i] bytes long.
struct BlockList {
  int64_t base = 0, count = 0;
  const int64_t* offsets = nullptr;
  const int64_t* positions = nullptr;
  int64_t bytes() const { return count == 0 ? 0 : positions[count] - positions[0]; }
};

// Walks an access along its stream. Memory: O(depth). The access must outlive the cursor.
class Cursor {
 public:
  explicit Cursor(const Access& access, int64_t position = 0);

  void seek(int64_t position);  // O(log D)
  int64_t position() const { return position_; }
  // The next stretch, at most max_bytes > 0 and never empty (the access must not be empty), and moves behind
  // it. As long as the description allows: a whole run, a whole list of equal blocks. A piece that is cut (at
  // the cursor or by max_bytes) comes alone, with count 1.
  Chunk next(int64_t max_bytes);
  // If whole blocks of differing lengths come next, as many as max_bytes allow, and moves behind them; else
  // an empty list, and the cursor stays. For loops that next() would serve block by block.
  BlockList next_blocks(int64_t max_bytes);

 private:
  // The path from the root to the leaf: which copy or part, at each level.
  struct Level {
    const Nest* nest;
    int64_t shift;  // offset of this nest's origin
    int64_t index;  // loop: copy; sequence: part
  };
  static constexpr int inline_levels = 12;

  const Access* access_;
  int64_t position_ = 0;
  int64_t tile_ = 0;
  // The leaf (a run or blocks), in a form that serves both: piece i lies at origin_ + i * stride_, or at
  // origin_ + offsets_[i].
  const Nest* leaf_ = nullptr;
  int64_t origin_ = 0, length_ = 0, stride_ = 0,
          pieces_ = 0;  // length_ 0: lengths differ, see leaf_->positions()
  const int64_t* offsets_ = nullptr;
  int64_t piece_ = 0, within_ = 0;  // the cursor: piece of the leaf, byte of the piece
  int depth_ = 0;                   // levels in use
  Level inline_[inline_levels];
  std::vector<Level> deep_;  // used instead, and only, beyond inline_levels

  Level& level(int i) { return deep_.empty() ? inline_[i] : deep_[static_cast<size_t>(i)]; }
  void push(const Level& level);
  void descend(const Nest* nest, int64_t shift, int64_t position);
  void enter(const Nest* leaf, int64_t shift, int64_t position);
  void advance_leaf();
  Chunk next_varying(int64_t max_bytes);
};

}  // namespace concilio
