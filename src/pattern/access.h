// The access-pattern algebra, part two. An Access is a nest that is tiled without end, as MPI tiles a
// filetype over a file and a datatype over a buffer in memory. Byte p of the access's data stream lies at
//
//   displacement + (p / nest.size()) * extent + nest.offset_of(p % nest.size())
//
// A request is an Access and an interval [begin, end) of its data positions. Positions and offsets are in
// bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "pattern/datatype.h"
#include "pattern/nest.h"

namespace concilio::pattern {

struct Interval {
  int64_t begin = 0, end = 0;  // [begin, end)
  int64_t length() const { return end - begin; }
  bool empty() const { return end <= begin; }
  bool operator==(const Interval&) const = default;
};

class Access {
 public:
  Access() = default;
  // `tiles`: about how many will be used. The access has no end all the same; but what takes time and pays
  // only in many tiles is left out for few.
  Access(NestRef nest, int64_t displacement, int64_t extent, int64_t tiles = INT64_MAX);
  // A datatype, tiled from `displacement` on. If each tile simply continues the one before, the tiles are
  // folded: a contiguous datatype becomes one endless run.
  static Access of(const DataType& type, int64_t displacement, int64_t tiles = INT64_MAX);
  static Access contiguous(int64_t displacement);  // every byte from displacement on

  // Shifts all bytes; offsets that do not fit 64 bits become the largest.
  void move(int64_t shift_bytes);

  const NestRef& nest() const { return nest_; }
  int64_t displacement() const { return displacement_; }
  int64_t extent() const { return extent_; }
  bool empty() const { return nest_->size() == 0; }   // describes no bytes at all
  bool is_contiguous() const { return contiguous_; }  // every byte from displacement on
  // From each multiple of these data bytes on, the access looks alike. The nest may hold several such
  // periods.
  int64_t period_bytes() const { return period_bytes_; }
  // Whether offsets never decrease along the stream and no byte comes twice, over all tiles.
  bool monotone() const { return monotone_; }
  // The same for the first `data_bytes` of the stream only. Where whole tiles are not monotone the answer may
  // be a wrong no, but never a wrong yes.
  bool monotone_within(int64_t data_bytes) const;
  // Whether some byte comes twice in data [begin, end). The nest must be monotone, and the extent not
  // negative; tiles may interleave or overlap. Takes time for each piece at most as often as a tile is longer
  // than the extent.
  bool comes_twice(int64_t begin, int64_t end) const;
  // The access without the tiles before this one, if its bytes fit 64 bits.
  std::optional<Access> from_tile(int64_t tile) const;

  // All take O(log D), where D is the size of the description. `position` may lie in any tile.
  int64_t offset_of(int64_t position) const;  // of the byte at this data position; saturates
  // The same; nothing where the offset does not fit 64 bits.
  std::optional<int64_t> exact_offset_of(int64_t position) const;
  // Whether the offsets of all of data [begin, end), and the end of its last byte, fit 64 bits.
  bool reaches(int64_t begin, int64_t end) const;
  // How many data bytes of a monotone access lie at offsets < offset. On offsets of data, this is the inverse
  // of offset_of(). If the nest is monotone but its tiling is not, the answer is that for the first tile that
  // reaches the offset, and all of the tiles before it. If the nest is not monotone, the answer is the
  // position of that tile's first byte that does not lie before the offset, and takes time for each piece of
  // a tile.
  int64_t data_before(int64_t offset) const;
  // The smallest interval of offsets that holds data [begin, end); {0,0} if begin == end. Takes O(log D) if
  // the access is monotone. If it is not, the bounds are those of the tiles, which may be wider than
  // necessary.
  Interval bounds(int64_t begin, int64_t end) const;
  // An upper bound on the number of pieces in data [begin, end), computed from the description alone.
  int64_t pieces(int64_t begin, int64_t end) const;
  // Every piece of data [begin, end) begins and ends at anchor + k * granule. Both are 0 if there are no
  // pieces.
  struct Granule {
    int64_t granule = 0, anchor = 0;
  };
  Granule granule(int64_t begin, int64_t end) const;
  // Equal for equal patterns, wherever they begin.
  uint64_t hash() const;
  // Equal for data [begin, end) that are alike but for where they begin: pieces of the same lengths, as far
  // from each other, the first of which bounds() tells of. Other patterns may hold them, as when a program
  // writes an array by parts. Alike data may also differ here. Takes O(log D).
  uint64_t look(int64_t begin, int64_t end) const;

 private:
  friend class Cursor;
  // Tiles of a few pieces are repeated to form lists of this length, so that the lists that a cursor returns
  // are long enough for a tight loop. This bounds the memory that such lists take.
  static constexpr int64_t unrolled_pieces = 64;
  int64_t tile_origin(int64_t tile) const;  // saturates
  std::optional<int64_t> exact_tile_origin(int64_t tile) const;
  void unroll();
  NestRef nest_ = Nest::empty();
  int64_t displacement_ = 0, extent_ = 0, period_bytes_ = 0;
  bool contiguous_ = false, monotone_ = true;
};

// The granule of both sets of pieces together.
Access::Granule combine(Access::Granule a, Access::Granule b);

// A stretch of an access's stream: `count` pieces of `length` bytes. Piece i lies at base + offsets[i], or,
// if offsets is null, at base + i * stride.
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

// Walks an access along its stream. However deep its nest is, the cursor allocates nothing, so that walking
// cannot fail. The access must outlive the cursor.
class Cursor {
 public:
  explicit Cursor(const Access& access, int64_t position = 0);

  void seek(int64_t position);  // O(log D)
  int64_t position() const { return position_; }
  // Returns the next stretch, of at most max_bytes > 0, and moves behind it. The access must not be empty;
  // the stretch never is. It is as long as the description allows: a whole run, or a whole list of equal
  // blocks. A piece that is cut (at the cursor or by max_bytes) comes alone, with count 1.
  Chunk next(int64_t max_bytes);
  // If whole blocks of differing lengths come next, returns as many as max_bytes allows and moves behind
  // them. Else returns an empty list and does not move. It serves loops that would get such blocks one at a
  // time from next().
  BlockList next_blocks(int64_t max_bytes);

 private:
  // One level of the path from the root to the leaf: which copy or part it takes.
  struct Level {
    const Nest* nest;
    int64_t shift;  // offset of this nest's origin
    int64_t index;  // loop: copy; sequence: part
  };
  // The cursor remembers the innermost levels of the path. These change most often. When it has left them
  // all, it seeks its position from the root.
  static constexpr size_t most_levels = 16;

  const Access* access_;
  int64_t position_ = 0;
  int64_t tile_ = 0;
  // The leaf (a run or blocks), in one form for both: piece i lies at origin_ + offsets_[i], or, if offsets_
  // is null, at origin_ + i * stride_. length_ is 0 if lengths differ, which leaf_->positions() then gives.
  const Nest* leaf_ = nullptr;
  int64_t origin_ = 0, length_ = 0, stride_ = 0, pieces_ = 0;
  const int64_t* offsets_ = nullptr;
  int64_t piece_ = 0, within_ = 0;  // where the cursor stands: piece of the leaf, byte of the piece
  size_t depth_ = 0;                // levels of the path
  size_t remembered_ = 0;           // how many of these, the innermost ones, are in levels_
  Level levels_[most_levels];       // level i of the path is at i % most_levels

  void push(const Level& level);
  void descend(const Nest* nest, int64_t shift, int64_t position);
  void enter(const Nest* leaf, int64_t shift, int64_t position);
  void advance_leaf();
  Chunk next_varying(int64_t max_bytes);
};

}  // namespace concilio::pattern
