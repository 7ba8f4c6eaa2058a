// Which bytes of a window have been written, or are wanted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "pattern/access.h"
#include "pattern/stretches.h"

namespace concilio::pattern {

// Records which granules of a window are covered, in one byte per granule, 0 or 1. Several ranks may mark the
// same map without atomic operations, since all of them write 1.
class CoverageMap {
 public:
  // The marks are kept at `map`, where the caller provides bytes_needed() bytes. The window holds the offsets
  // [window.begin, window.end). Pieces begin and end at anchor + k * granule, or are cut by the window's
  // borders.
  CoverageMap(std::uint8_t* map, Interval window, Access::Granule granule);
  static int64_t bytes_needed(int64_t window_bytes, int64_t granule);

  void clear();
  void mark(Interval offsets);  // of whole granules; clipped to the window
  // Marks the pieces of data [begin, end) of a monotone access, which must lie within the window.
  void mark(const Access& access, int64_t begin, int64_t end);
  bool full() const;
  Stretches<CoverageMap> covered() const { return Stretches(*this); }
  // The next covered stretch of offsets at or behind `from`; empty if there is none. Likewise the next hole.
  Interval next_covered(int64_t from) const { return next_of(from, 1); }
  Interval next_hole(int64_t from) const { return next_of(from, 0); }
  // The covered stretches together; all 0 if there are none.
  struct Summary {
    Interval range;  // from the begin of the first to the end of the last
    int64_t bytes = 0, stretches = 0, last_begin = 0;
  };
  Summary summary() const;
  // Copy the covered stretches, and the holes between them. `to` and `from` are where the byte at range.begin
  // is.
  void copy_covered(const Summary& covered, std::byte* to, const std::byte* from) const;
  void fill_holes(const Summary& covered, std::byte* to, const std::byte* from) const;

  // The same granule by granule, for 0 <= i < granules(). marks() gives the marks of granules [first, first +
  // 64) as bits, with 0 behind the last; offsets() the offsets of granules [first, end) that lie in the
  // window.
  int64_t granules() const { return granules_; }
  bool is_covered(int64_t i) const { return map_[i] != 0; }
  uint64_t marks(int64_t first) const;
  Interval offsets(int64_t first, int64_t end) const {
    return {std::max(grid_ + first * granule_, window_.begin), std::min(grid_ + end * granule_, window_.end)};
  }

 private:
  int64_t index(int64_t distance) const;  // index of the granule at grid_ + distance
  void mark_pieces(const Chunk& chunk);
  Interval next_of(int64_t from, int value) const;
  void copy_inner(const Summary& covered, uint64_t unwanted, std::byte* to, const std::byte* from) const;
  template <int64_t fixed_bytes>
  void copy_granules(const Summary& covered, uint64_t unwanted, std::byte* to, const std::byte* from) const;

  std::uint8_t* map_;
  Interval window_;
  int64_t granule_, grid_;  // grid_: offset of the granule that holds window_.begin
  int shift_;               // granule_ is 1 << shift_, or -1
  int64_t granules_;
};

}  // namespace concilio::pattern
