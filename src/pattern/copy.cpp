#include "pattern/copy.h"

#include <algorithm>
#include <cstring>

#include "base/checked.h"

namespace concilio::pattern {

namespace {

// Strided and Listed say where the pieces of a chunk lie in memory. Addresses are computed as integers, since
// with MPI_BOTTOM the base is null.
struct Strided {
  uintptr_t base;
  int64_t stride;
  std::byte* at(int64_t i) const {
    return reinterpret_cast<std::byte*>(base + static_cast<uintptr_t>(i * stride));
  }
};

struct Listed {
  uintptr_t base;
  const int64_t* offsets;
  std::byte* at(int64_t i) const {
    return reinterpret_cast<std::byte*>(base + static_cast<uintptr_t>(offsets[i]));
  }
};

// Fixed and the types below it copy one piece. Source and destination never overlap.
template <int length>
struct Fixed {
  void operator()(std::byte* to, const std::byte* from) const { std::memcpy(to, from, length); }
};

// Copies any length in (half, 2 * half]: the first and the last `half` bytes, which may overlap.
template <int half>
struct HeadAndTail {
  int64_t tail;
  void operator()(std::byte* to, const std::byte* from) const {
    std::memcpy(to, from, half);
    std::memcpy(to + tail, from + tail, half);
  }
};

// Copies any length of 64 or more: whole blocks of 64 bytes, then the last 64 bytes.
struct Lines {
  int64_t tail;
  void operator()(std::byte* to, const std::byte* from) const {
    for (int64_t i = 0; i < tail; i += 64) std::memcpy(to + i, from + i, 64);
    std::memcpy(to + tail, from + tail, 64);
  }
};

struct General {
  size_t length;
  void operator()(std::byte* to, const std::byte* from) const { std::memcpy(to, from, length); }
};

// Above this length, the C library's memcpy is as fast as our own loop.
constexpr int64_t lines_max_bytes = 512;

template <typename Move, typename From, typename To>
void move_all(const Move& move, From from, To to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) move(to.at(i), from.at(i));
}

template <typename From, typename To>
void move_pieces(From from, To to, int64_t length, int64_t count) {
  switch (length) {
    case 1:
      return move_all(Fixed<1>{}, from, to, count);
    case 2:
      return move_all(Fixed<2>{}, from, to, count);
    case 4:
      return move_all(Fixed<4>{}, from, to, count);
    case 8:
      return move_all(Fixed<8>{}, from, to, count);
    case 16:
      return move_all(Fixed<16>{}, from, to, count);
    case 32:
      return move_all(Fixed<32>{}, from, to, count);
    case 64:
      return move_all(Fixed<64>{}, from, to, count);
    case 128:
      return move_all(Fixed<128>{}, from, to, count);
    case 256:
      return move_all(Fixed<256>{}, from, to, count);
    default:
      break;
  }
  if (length > lines_max_bytes) return move_all(General{static_cast<size_t>(length)}, from, to, count);
  if (length > 64) return move_all(Lines{length - 64}, from, to, count);
  if (length > 32) return move_all(HeadAndTail<32>{length - 32}, from, to, count);
  if (length > 16) return move_all(HeadAndTail<16>{length - 16}, from, to, count);
  if (length > 8) return move_all(HeadAndTail<8>{length - 8}, from, to, count);
  if (length > 4) return move_all(HeadAndTail<4>{length - 4}, from, to, count);
  move_all(HeadAndTail<2>{length - 2}, from, to, count);
}

// Copies one piece, in a way that is chosen by its length.
void move_one(std::byte* to, const std::byte* from, int64_t length) {
  if (length > lines_max_bytes) {
    std::memcpy(to, from, static_cast<size_t>(length));
  } else if (length >= 64) {
    Lines{length - 64}(to, from);
  } else if (length >= 32) {
    HeadAndTail<32>{length - 32}(to, from);
  } else if (length >= 16) {
    HeadAndTail<16>{length - 16}(to, from);
  } else if (length >= 8) {
    HeadAndTail<8>{length - 8}(to, from);
  } else if (length >= 4) {
    HeadAndTail<4>{length - 4}(to, from);
  } else if (length >= 2) {
    HeadAndTail<2>{length - 2}(to, from);
  } else {
    *to = *from;
  }
}

// The current chunk of one side of a copy, and how much of it is left to copy.
class Stream {
 public:
  Stream(const Side& side, int64_t bytes)
      : cursor_(*side.access, side.position),
        memory_(reinterpret_cast<uintptr_t>(side.base) - static_cast<uintptr_t>(side.origin)),
        bytes_left_(bytes) {}

  void fill() {
    if (count_ > 0) return;
    const BlockList list = cursor_.next_blocks(bytes_left_);
    if (list.count > 0) {
      bytes_left_ -= list.bytes();
      base_ = memory_ + static_cast<uintptr_t>(list.base);
      count_ = list.count;
      offsets_ = list.offsets;
      positions_ = list.positions;
      rest_ = length_ = positions_[1] - positions_[0];
      return;
    }
    const Chunk chunk = cursor_.next(bytes_left_);
    bytes_left_ -= chunk.bytes();
    base_ = memory_ + static_cast<uintptr_t>(chunk.base);
    length_ = chunk.length;
    stride_ = chunk.stride;
    count_ = chunk.count;
    offsets_ = chunk.offsets;
    positions_ = nullptr;
    rest_ = length_;
  }

  // How many whole pieces of one length come next.
  int64_t whole() const { return rest_ < length_ ? 0 : (positions_ ? 1 : count_); }
  int64_t length() const { return length_; }  // bytes of a whole piece
  int64_t rest() const { return rest_; }      // bytes left of the current piece
  // How many whole pieces of differing lengths come next and fit into max_bytes.
  int64_t varied(int64_t max_bytes) const {
    if (!positions_ || rest_ < length_) return 0;
    if (positions_[count_] - positions_[0] <= max_bytes) return count_;
    return std::upper_bound(positions_ + 1, positions_ + count_ + 1, positions_[0] + max_bytes) - positions_ -
           1;
  }
  const int64_t* positions() const { return positions_; }
  bool listed() const { return offsets_ != nullptr; }

  Strided strided() const { return {base_, stride_}; }
  Listed list() const { return {base_, offsets_}; }
  uintptr_t address() const {
    return base_ + static_cast<uintptr_t>((offsets_ ? offsets_[0] : 0) + length_ - rest_);
  }

  void skip_pieces(int64_t count) {
    count_ -= count;
    if (positions_) {
      offsets_ += count;
      positions_ += count;
      rest_ = length_ = count_ > 0 ? positions_[1] - positions_[0] : 0;
    } else if (offsets_) {
      offsets_ += count;
    } else {
      base_ += static_cast<uintptr_t>(count * stride_);
    }
  }
  void skip_bytes(int64_t bytes) {
    rest_ -= bytes;
    if (rest_ > 0) return;
    skip_pieces(1);
    rest_ = length_;
  }

 private:
  Cursor cursor_;
  uintptr_t memory_;
  int64_t bytes_left_;
  uintptr_t base_ = 0;
  int64_t length_ = 0, stride_ = 0, count_ = 0, rest_ = 0;
  const int64_t* offsets_ = nullptr;
  const int64_t* positions_ = nullptr;  // set for blocks of differing lengths; length_ is then the first's
};

template <typename From>
void move_to(From from, const Stream& to, int64_t length, int64_t count) {
  if (to.listed()) {
    move_pieces(from, to.list(), length, count);
  } else {
    move_pieces(from, to.strided(), length, count);
  }
}

// Copies whole pieces that have equal lengths on both sides.
void move_paired(Stream& from, Stream& to) {
  const int64_t length = from.length(), count = std::min(from.whole(), to.whole());
  if (from.listed()) {
    move_to(from.list(), to, length, count);
  } else {
    move_to(from.strided(), to, length, count);
  }
  from.skip_pieces(count);
  to.skip_pieces(count);
}

// Copies whole pieces of `from` into one contiguous stretch of `to`.
void move_gathered(Stream& from, Stream& to) {
  const int64_t length = from.length(), count = std::min(from.whole(), to.rest() / length);
  const Strided stretch{to.address(), length};
  if (from.listed()) {
    move_pieces(from.list(), stretch, length, count);
  } else {
    move_pieces(from.strided(), stretch, length, count);
  }
  from.skip_pieces(count);
  to.skip_bytes(count * length);
}

// Copies one contiguous stretch of `from` into whole pieces of `to`.
void move_scattered(Stream& from, Stream& to) {
  const int64_t length = to.length(), count = std::min(to.whole(), from.rest() / length);
  move_to(Strided{from.address(), length}, to, length, count);
  to.skip_pieces(count);
  from.skip_bytes(count * length);
}

// Copies whole pieces of differing lengths between `list` and one contiguous stretch of `other`.
template <bool to_list>
int64_t move_varied(Stream& list, Stream& other, int64_t count) {
  const Listed pieces = list.list();
  const int64_t* positions = list.positions();
  auto* stretch = reinterpret_cast<std::byte*>(other.address());
  for (int64_t i = 0; i < count; ++i) {
    const int64_t length = positions[i + 1] - positions[i];
    if constexpr (to_list) {
      move_one(pieces.at(i), stretch, length);
    } else {
      move_one(stretch, pieces.at(i), length);
    }
    stretch += length;
  }
  const int64_t bytes = positions[count] - positions[0];
  list.skip_pieces(count);
  other.skip_bytes(bytes);
  return bytes;
}

}  // namespace

void copy(const Side& from_side, const Side& to_side, int64_t bytes) {
  if (bytes <= 0) return;
  Stream from(from_side, bytes), to(to_side, bytes);
  while (bytes > 0) {
    from.fill();
    to.fill();
    const int64_t from_whole = from.whole(), to_whole = to.whole();
    if (from_whole > 1 && to_whole > 1 && from.length() == to.length()) {
      bytes -= from.length() * std::min(from_whole, to_whole);
      move_paired(from, to);
    } else if (from_whole > 1 && to.rest() >= from.length()) {
      bytes -= from.length() * std::min(from_whole, to.rest() / from.length());
      move_gathered(from, to);
    } else if (to_whole > 1 && from.rest() >= to.length()) {
      bytes -= to.length() * std::min(to_whole, from.rest() / to.length());
      move_scattered(from, to);
    } else if (const int64_t gathered = from.varied(to.rest()); gathered > 0) {
      bytes -= move_varied<false>(from, to, gathered);
    } else if (const int64_t scattered = to.varied(from.rest()); scattered > 0) {
      bytes -= move_varied<true>(to, from, scattered);
    } else {
      const int64_t length = std::min(from.rest(), to.rest());
      move_one(reinterpret_cast<std::byte*>(to.address()), reinterpret_cast<const std::byte*>(from.address()),
               length);
      from.skip_bytes(length);
      to.skip_bytes(length);
      bytes -= length;
    }
  }
}

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
