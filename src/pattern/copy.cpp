#include "pattern/copy.h"

#include <algorithm>
#include <cstring>

#include "base/copy_bytes.h"

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

template <int half>
struct HeadAndTail {
  int64_t length;
  void operator()(std::byte* to, const std::byte* from) const { copy_head_and_tail<half>(to, from, length); }
};

// Copies any length of 64 or more.
struct Lines {
  int64_t length;
  void operator()(std::byte* to, const std::byte* from) const { copy_in_blocks(to, from, length); }
};

struct General {
  int64_t length;
  void operator()(std::byte* to, const std::byte* from) const { copy_bytes(to, from, length); }
};

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
  if (length > most_short_bytes) return move_all(General{length}, from, to, count);
  if (length > 64) return move_all(Lines{length}, from, to, count);
  if (length > 32) return move_all(HeadAndTail<32>{length}, from, to, count);
  if (length > 16) return move_all(HeadAndTail<16>{length}, from, to, count);
  if (length > 8) return move_all(HeadAndTail<8>{length}, from, to, count);
  if (length > 4) return move_all(HeadAndTail<4>{length}, from, to, count);
  move_all(HeadAndTail<2>{length}, from, to, count);
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
      copy_bytes(pieces.at(i), stretch, length);
    } else {
      copy_bytes(stretch, pieces.at(i), length);
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
      copy_bytes(reinterpret_cast<std::byte*>(to.address()),
                 reinterpret_cast<const std::byte*>(from.address()), length);
      from.skip_bytes(length);
      to.skip_bytes(length);
      bytes -= length;
    }
  }
}

}  // namespace concilio::pattern
