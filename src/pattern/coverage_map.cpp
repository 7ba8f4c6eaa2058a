#include "pattern/coverage_map.h"

#include <algorithm>
#include <cstring>

#include "base/checked.h"

namespace concilio::pattern {

CoverageMap::CoverageMap(std::uint8_t* map, Interval window, Access::Granule granule)
    : map_(map), window_(window), granule_(granule.granule), grid_(window.begin) {
  if (granule_ <= 0) granule_ = std::max<int64_t>(window.length(), 1);  // no pieces: nothing will be marked
  if (granule.granule > 0) {
    const int64_t distance = window.begin - granule.anchor;
    grid_ = window.begin - (distance - align_down(distance, granule_));
  }
  shift_ = (granule_ & (granule_ - 1)) == 0 ? __builtin_ctzll(static_cast<uint64_t>(granule_)) : -1;
  granules_ = window.empty() ? 0 : ceil_divide(window.end - grid_, granule_);
}

int64_t CoverageMap::bytes_needed(int64_t window_bytes, int64_t granule) {
  // The window may begin and end within a granule, so there may be one more at either border.
  return granule <= 0 ? 1 : window_bytes / granule + 2;
}

void CoverageMap::clear() {
  std::memset(map_, 0, static_cast<size_t>(granules_));
}

int64_t CoverageMap::index(int64_t distance) const {
  return shift_ >= 0 ? distance >> shift_ : distance / granule_;
}

void CoverageMap::mark(Interval offsets) {
  const int64_t begin = std::max(offsets.begin, window_.begin), end = std::min(offsets.end, window_.end);
  if (end <= begin) return;
  const int64_t first = index(begin - grid_), last = index(end - 1 - grid_);
  std::memset(map_ + first, 1, static_cast<size_t>(last - first + 1));
}

void CoverageMap::mark(const Access& access, int64_t begin, int64_t end) {
  if (end <= begin) return;
  Cursor cursor(access, begin);
  while (cursor.position() < end) {
    const BlockList list = cursor.next_blocks(end - cursor.position());
    for (int64_t i = 0; i < list.count; ++i) {
      const int64_t offset = list.base + list.offsets[i];
      mark(Interval{offset, offset + list.positions[i + 1] - list.positions[i]});
    }
    if (list.count > 0) continue;
    const Chunk chunk = cursor.next(end - cursor.position());
    if (chunk.count == 1) {
      mark(Interval{chunk.offset(0), chunk.offset(0) + chunk.length});
    } else {
      mark_pieces(chunk);
    }
  }
}

void CoverageMap::mark_pieces(const Chunk& chunk) {
  // Whole pieces begin on the grid and are whole granules. But the window may begin within a granule of the
  // first piece, and at the window's borders an uncut piece may be shorter than the granule.
  const int64_t width = std::max<int64_t>(index(chunk.length), 1);
  if (!chunk.offsets) {
    const int64_t step = index(chunk.stride);
    std::uint8_t* mark = map_ + index(chunk.base - grid_);
    if (width == step) {
      std::memset(mark, 1, static_cast<size_t>(width * chunk.count));
    } else if (width <= 8) {  // a call of memset for each piece would cost more
      for (int64_t k = 0; k < width; ++k) {
        for (int64_t i = 0; i < chunk.count; ++i) mark[i * step + k] = 1;
      }
    } else {
      for (int64_t i = 0; i < chunk.count; ++i) std::memset(mark + i * step, 1, static_cast<size_t>(width));
    }
    return;
  }
  const int64_t base = chunk.base - grid_;
  for (int64_t i = 0; i < chunk.count; ++i) {
    std::uint8_t* mark = map_ + index(base + chunk.offsets[i]);
    if (width <= 8) {
      for (int64_t k = 0; k < width; ++k) mark[k] = 1;
    } else {
      std::memset(mark, 1, static_cast<size_t>(width));
    }
  }
}

bool CoverageMap::full() const {
  return granules_ == 0 || std::memchr(map_, 0, static_cast<size_t>(granules_)) == nullptr;
}

Interval CoverageMap::next_of(int64_t from, int value) const {
  from = std::max(from, window_.begin);
  if (from >= window_.end) return {window_.end, window_.end};
  const int64_t start = index(from - grid_);
  const auto* first = static_cast<const std::uint8_t*>(
      std::memchr(map_ + start, value, static_cast<size_t>(granules_ - start)));
  if (!first) return {window_.end, window_.end};
  const int64_t begin = first - map_;
  const auto* last =
      static_cast<const std::uint8_t*>(std::memchr(first, 1 - value, static_cast<size_t>(granules_ - begin)));
  const int64_t end = last ? last - map_ : granules_;
  return {std::max(from, grid_ + begin * granule_), end == granules_ ? window_.end : grid_ + end * granule_};
}

Interval CoverageMap::next_covered(int64_t from) const {
  return next_of(from, 1);
}

Interval CoverageMap::next_hole(int64_t from) const {
  return next_of(from, 0);
}

int64_t CoverageMap::covered_bytes() const {
  int64_t covered = 0;
  for (int64_t i = 0; i < granules_; ++i) covered += map_[i];
  if (covered == 0) return 0;
  // Granules at the window's borders count only as far as the window reaches.
  int64_t bytes = covered * granule_;
  if (map_[0]) bytes -= window_.begin - grid_;
  if (map_[granules_ - 1]) bytes -= grid_ + granules_ * granule_ - window_.end;
  return bytes;
}

}  // namespace concilio::pattern
