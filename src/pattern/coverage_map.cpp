#include "pattern/coverage_map.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "base/checked.h"
#include "base/copy_bytes.h"

namespace concilio::pattern {
namespace {

// 64 marks as bits.
uint64_t as_bits(const std::uint8_t* marks) {
  // Multiplied by this, eight bytes that are 0 or 1 have byte i at bit 56 + i; no two of the product's terms
  // are at the same bit, so none carries into another.
  constexpr uint64_t gather = 0x0102040810204080;
  uint64_t bits = 0;
  for (int i = 0; i < 64; i += 8) {
    uint64_t eight;
    std::memcpy(&eight, marks + i, sizeof eight);
    if constexpr (std::endian::native == std::endian::big) eight = __builtin_bswap64(eight);
    bits |= eight * gather >> 56 << i;
  }
  return bits;
}

// std::popcount is a function of the compiler's library where processors need not have an instruction for it.
int64_t count_ones(uint64_t word) {
  constexpr uint64_t each = ~uint64_t{0};
  word -= word >> 1 & each / 3;                       // of each two bits
  word = (word & each / 5) + (word >> 2 & each / 5);  // of each four
  word = (word + (word >> 4)) & each / 17;            // of each byte
  return static_cast<int64_t>(word * (each / 255) >> 56);
}

// Marks `width` granules from each of place(0) ... place(count - 1) on. The widths that small pieces have are
// stored at once, where a call of memset would take longer.
template <typename Place>
void mark_each(int64_t width, int64_t count, Place place) {
  const auto mark = [&](auto marks) {
    for (int64_t i = 0; i < count; ++i) std::memset(place(i), 1, marks);
  };
  switch (width) {
    case 1:
      return mark(std::integral_constant<size_t, 1>{});
    case 2:
      return mark(std::integral_constant<size_t, 2>{});
    case 4:
      return mark(std::integral_constant<size_t, 4>{});
    case 8:
      return mark(std::integral_constant<size_t, 8>{});
    default:
      return mark(static_cast<size_t>(width));
  }
}

}  // namespace

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
  const int64_t width = std::max<int64_t>(index(chunk.length), 1), base = chunk.base - grid_;
  const int64_t* const offsets = chunk.offsets;
  if (!offsets) {
    const int64_t step = index(chunk.stride);
    std::uint8_t* const first = map_ + index(base);
    if (width == step) {
      std::memset(first, 1, static_cast<size_t>(width * chunk.count));
    } else {
      mark_each(width, chunk.count, [=](int64_t i) { return first + i * step; });
    }
  } else if (shift_ >= 0) {
    mark_each(width, chunk.count,
              [=, map = map_, shift = shift_](int64_t i) { return map + ((base + offsets[i]) >> shift); });
  } else {
    mark_each(width, chunk.count,
              [=, map = map_, granule = granule_](int64_t i) { return map + (base + offsets[i]) / granule; });
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

CoverageMap::Summary CoverageMap::summary() const {
  int64_t first = granules_, end = 0, covered = 0, stretches = 0, last_begin = 0;
  uint64_t before = 0;  // the last mark of the word before
  for (int64_t base = 0; base < granules_; base += 64) {
    const uint64_t word = marks(base), begins = word & ~(word << 1 | before);
    before = word >> 63;
    if (word == 0) continue;
    first = std::min(first, base + std::countr_zero(word));
    end = base + 64 - std::countl_zero(word);
    covered += count_ones(word);
    stretches += count_ones(begins);
    if (begins != 0) last_begin = base + 63 - std::countl_zero(begins);
  }
  if (stretches == 0) return {};
  const Interval range = offsets(first, end);
  // The window may cut the first and the last granule.
  const int64_t cut = (end - first) * granule_ - range.length();
  return {range, covered * granule_ - cut, stretches, offsets(last_begin, end).begin};
}

// Whole granules, of fixed_bytes bytes if that is not 0; then short stretches are copied by the granule.
template <int64_t fixed_bytes>
void CoverageMap::copy_granules(const Summary& covered, uint64_t unwanted, std::byte* to,
                                const std::byte* from) const {
  constexpr uint64_t many = 0b1111;
  const int64_t granule = fixed_bytes > 0 ? fixed_bytes : granule_;
  const int64_t first = index(covered.range.begin - grid_) + 1, end = index(covered.range.end - 1 - grid_);
  const int64_t shift = grid_ - covered.range.begin;  // from range.begin to granule 0
  for (int64_t base = first; base < end; base += 64) {
    uint64_t wanted = marks(base) ^ unwanted;
    if (end - base < 64) wanted &= (uint64_t{1} << (end - base)) - 1;
    while (wanted != 0) {
      const int begin = std::countr_zero(wanted);
      const int64_t at = (base + begin) * granule + shift;
      if (fixed_bytes > 0 && (wanted >> begin & many) != many) {
        std::memcpy(to + at, from + at, fixed_bytes);
        wanted &= wanted - 1;
        continue;
      }
      const int count = std::countr_one(wanted >> begin);
      copy_bytes(to + at, from + at, count * granule);
      if (begin + count == 64) break;
      wanted &= ~uint64_t{0} << (begin + count);
    }
  }
}

// The granules between the first and the last covered one that are covered, or those that are not: those
// whose marks differ from the bits of `unwanted`. The window cuts none of them.
void CoverageMap::copy_inner(const Summary& covered, uint64_t unwanted, std::byte* to,
                             const std::byte* from) const {
  switch (granule_) {
    case 1:
      return copy_granules<1>(covered, unwanted, to, from);
    case 2:
      return copy_granules<2>(covered, unwanted, to, from);
    case 4:
      return copy_granules<4>(covered, unwanted, to, from);
    case 8:
      return copy_granules<8>(covered, unwanted, to, from);
    default:
      return copy_granules<0>(covered, unwanted, to, from);
  }
}

void CoverageMap::fill_holes(const Summary& covered, std::byte* to, const std::byte* from) const {
  copy_inner(covered, ~uint64_t{0}, to, from);
}

void CoverageMap::copy_covered(const Summary& covered, std::byte* to, const std::byte* from) const {
  if (covered.range.empty()) return;
  for (const int64_t offset : {covered.range.begin, covered.range.end - 1}) {
    const int64_t i = index(offset - grid_);
    const Interval granule = offsets(i, i + 1);
    const int64_t at = granule.begin - covered.range.begin;
    copy_bytes(to + at, from + at, granule.length());
  }
  copy_inner(covered, 0, to, from);
}

uint64_t CoverageMap::marks(int64_t first) const {
  const int64_t count = std::min<int64_t>(granules_ - first, 64);
  if (count == 64) return as_bits(map_ + first);
  std::uint8_t last[64] = {};
  std::memcpy(last, map_ + first, static_cast<size_t>(count));
  return as_bits(last);
}

}  // namespace concilio::pattern
