#include "pattern/access.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/checked.h"

namespace concilio::pattern {

namespace {

constexpr int64_t int64_min = std::numeric_limits<int64_t>::min();
constexpr int64_t int64_max = std::numeric_limits<int64_t>::max();

int64_t saturating_multiply(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? ((a < 0) != (b < 0) ? int64_min : int64_max) : product;
}

// Index of the last element of ascending `values` that is <= value. The first element must be.
size_t last_not_above(std::span<const int64_t> values, int64_t value) {
  return static_cast<size_t>(std::upper_bound(values.begin() + 1, values.end(), value) - values.begin()) - 1;
}

size_t part_at(std::span<const Nest::Part> parts, int64_t position) {
  const auto after =
      std::upper_bound(parts.begin() + 1, parts.end(), position,
                       [](int64_t p, const Nest::Part& part) { return p < part.data_position; });
  return static_cast<size_t>(after - parts.begin()) - 1;
}

// The index of the block that a data position lies in, and the data position where that block begins.
struct BlockPosition {
  int64_t index, begin;
};

BlockPosition block_at(const Nest& nest, int64_t position) {
  if (nest.uniform_length() > 0) {
    const int64_t index = position / nest.uniform_length();
    return {index, index * nest.uniform_length()};
  }
  const size_t index = last_not_above(nest.positions(), position);
  return {static_cast<int64_t>(index), nest.positions()[index]};
}

int64_t nest_offset_of(const Nest* nest, int64_t position) {
  int64_t shift = 0;
  while (true) {
    switch (nest->kind()) {
      case Nest::Kind::empty:
        return shift;
      case Nest::Kind::run: {
        const Run& run = nest->run();
        return shift + run.offset + position / run.length * run.stride + position % run.length;
      }
      case Nest::Kind::blocks: {
        const BlockPosition block = block_at(*nest, position);
        return shift + nest->offsets()[static_cast<size_t>(block.index)] + position - block.begin;
      }
      case Nest::Kind::loop: {
        const int64_t size = nest->child()->size();
        shift += nest->loop_offset() + position / size * nest->loop_stride();
        position %= size;
        nest = nest->child().get();
        break;
      }
      case Nest::Kind::sequence: {
        const Nest::Part& part = nest->parts()[part_at(nest->parts(), position)];
        shift += part.offset;
        position -= part.data_position;
        nest = part.child.get();
        break;
      }
    }
  }
}

// How many data bytes of a monotone nest lie at offsets < offset.
int64_t nest_data_before(const Nest* nest, int64_t offset) {
  int64_t before = 0;
  while (true) {
    if (nest->size() == 0 || offset <= nest->lower()) return before;
    if (offset >= nest->upper()) return before + nest->size();
    switch (nest->kind()) {
      case Nest::Kind::empty:
        return before;
      case Nest::Kind::run: {
        const Run& run = nest->run();
        const int64_t distance = offset - run.offset;
        return before + distance / run.stride * run.length + std::min(distance % run.stride, run.length);
      }
      case Nest::Kind::blocks: {
        const size_t index = last_not_above(nest->offsets(), offset);
        const int64_t uniform = nest->uniform_length();
        const int64_t begin = uniform > 0 ? static_cast<int64_t>(index) * uniform : nest->positions()[index];
        const int64_t length = uniform > 0 ? uniform : nest->positions()[index + 1] - begin;
        return before + begin + std::min(offset - nest->offsets()[index], length);
      }
      case Nest::Kind::loop: {
        const Nest* child = nest->child().get();
        const int64_t copy = nest->loop_count() == 1 ? 0 : (offset - nest->lower()) / nest->loop_stride();
        before += copy * child->size();
        offset -= nest->loop_offset() + copy * nest->loop_stride();
        nest = child;
        break;
      }
      case Nest::Kind::sequence: {
        const auto parts = nest->parts();
        const auto after = std::upper_bound(
            parts.begin() + 1, parts.end(), offset,
            [](int64_t o, const Nest::Part& part) { return o < part.offset + part.child->lower(); });
        const Nest::Part& part = *(after - 1);
        before += part.data_position;
        offset -= part.offset;
        nest = part.child.get();
        break;
      }
    }
  }
}

// The number of pieces in data [begin, end) of a nest; begin < end.
int64_t nest_pieces(const Nest* nest, int64_t begin, int64_t end) {
  int64_t pieces = 0;
  while (true) {
    if (begin == 0 && end == nest->size()) return pieces + nest->pieces();
    switch (nest->kind()) {
      case Nest::Kind::empty:
        return 0;
      case Nest::Kind::run:
        return pieces + (end - 1) / nest->run().length - begin / nest->run().length + 1;
      case Nest::Kind::blocks:
        return pieces + block_at(*nest, end - 1).index - block_at(*nest, begin).index + 1;
      case Nest::Kind::loop: {
        const Nest* child = nest->child().get();
        const int64_t size = child->size(), first = begin / size, last = (end - 1) / size;
        begin -= first * size;
        end -= last * size;
        if (first != last) {
          pieces += (last - first - 1) * child->pieces() + nest_pieces(child, begin, size);
          begin = 0;
        }
        nest = child;
        break;
      }
      case Nest::Kind::sequence: {
        const auto parts = nest->parts();
        const size_t first = part_at(parts, begin), last = part_at(parts, end - 1);
        const Nest* child = parts[first].child.get();
        begin -= parts[first].data_position;
        end -= parts[last].data_position;
        if (first != last) {
          pieces += nest->positions()[last] - nest->positions()[first + 1] +
                    nest_pieces(child, begin, child->size());
          begin = 0;
        }
        nest = parts[last].child.get();
        break;
      }
    }
  }
}

// The lowest part of the tree that holds all of data [begin, end), the offset of its origin, and where in its
// stream the data begin.
struct Narrowed {
  const Nest* nest;
  int64_t shift, begin;
};

Narrowed narrow(const Nest* nest, int64_t begin, int64_t end) {
  int64_t shift = 0;
  while (true) {
    if (nest->kind() == Nest::Kind::loop) {
      const int64_t size = nest->child()->size(), copy = begin / size;
      if ((end - 1) / size != copy) break;
      begin -= copy * size;
      end -= copy * size;
      shift += nest->loop_offset() + copy * nest->loop_stride();
      nest = nest->child().get();
    } else if (nest->kind() == Nest::Kind::sequence) {
      const Nest::Part& part = nest->parts()[part_at(nest->parts(), begin)];
      if (end > part.data_position + part.child->size()) break;
      begin -= part.data_position;
      end -= part.data_position;
      shift += part.offset;
      nest = part.child.get();
    } else {
      break;
    }
  }
  return {nest, shift, begin};
}

// The pieces of data [begin, end) of an access, one after the other.
class Walk {
 public:
  Walk(const Access& access, Interval data) : cursor_(access, data.begin), end_(data.end) { next(); }
  const Interval& piece() const { return piece_; }  // empty behind the last
  void next() {
    if (++index_ >= chunk_.count) {
      piece_ = {};
      if (cursor_.position() >= end_) return;
      chunk_ = cursor_.next(end_ - cursor_.position());
      index_ = 0;
    }
    piece_ = {chunk_.offset(index_), chunk_.offset(index_) + chunk_.length};
  }

 private:
  Cursor cursor_;
  const int64_t end_;
  Chunk chunk_;
  int64_t index_ = 0;
  Interval piece_;
};

// Whether two stretches of data, each in ascending order, have a byte in common.
bool meet(const Access& access, Interval a, Interval b) {
  Walk one(access, a), other(access, b);
  while (!one.piece().empty() && !other.piece().empty()) {
    const bool is_before = one.piece().end <= other.piece().begin;
    if (!is_before && other.piece().end > one.piece().begin) return true;
    (is_before ? one : other).next();
  }
  return false;
}

// Whether offsets never decrease along the first `bytes` > 0 of the nest's stream.
bool monotone_prefix(const Nest* nest, int64_t bytes) {
  while (true) {
    if (nest->monotone()) return true;
    if (bytes >= nest->size()) return false;
    switch (nest->kind()) {
      case Nest::Kind::run:
        return bytes <= nest->run().length;
      case Nest::Kind::loop:
        if (bytes > nest->child()->size()) return false;
        nest = nest->child().get();
        break;
      case Nest::Kind::sequence:
        if (bytes > nest->parts()[0].child->size()) return false;
        nest = nest->parts()[0].child.get();
        break;
      default:
        return bytes <= (nest->uniform_length() > 0 ? nest->uniform_length() : nest->positions()[1]);
    }
  }
}

// What hashes of data of these forms begin with.
constexpr uint64_t one_piece = 0x3c6ef372fe94f82bu, pieces_of_run = 0xa54ff53a5f1d36f1u;

uint64_t hash_with(uint64_t hash, int64_t value) {
  uint64_t x = hash * 0x9fb21c651e98df25u + static_cast<uint64_t>(value);
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
  return x ^ (x >> 32);
}

}  // namespace

Access::Access(NestRef nest, int64_t displacement, int64_t extent, int64_t tiles)
    : nest_(std::move(nest)), displacement_(displacement), extent_(extent) {
  if (nest_->size() == 0) return;
  // If each tile continues the run or loop of the one before, the tiling is the same as an endless run or
  // loop. One turn of that then becomes the tile.
  while (nest_->kind() == Nest::Kind::run || nest_->kind() == Nest::Kind::loop) {
    const Run& run = nest_->run();
    const auto reach = checked_multiply(run.count, run.stride);
    if (run.count == 1 || !reach || *reach != extent_) break;
    const NestRef turn = nest_->kind() == Nest::Kind::run ? Nest::bytes(run.length) : nest_->child();
    Result<NestRef> shifted = Nest::repeat(turn, 1, 0, run.offset);
    if (!shifted) break;
    extent_ = run.stride;
    nest_ = std::move(*shifted);
  }
  if (nest_->kind() == Nest::Kind::run && nest_->run().count == 1 && nest_->run().length == extent_) {
    int64_t first;
    if (!__builtin_add_overflow(displacement_, nest_->run().offset, &first)) {
      displacement_ = first;
      contiguous_ = true;
      extent_ = 1;
      nest_ = Nest::bytes(1);
    }
  }
  period_bytes_ = nest_->size();
  monotone_ = nest_->monotone() && extent_ >= nest_->upper() - nest_->lower();
  // To make the list takes as long as to go through several times as many pieces one by one.
  const bool pays = saturating_multiply(tiles, nest_->pieces()) >= 4 * unrolled_pieces;
  if (monotone_ && nest_->pieces() > 1 && nest_->pieces() <= unrolled_pieces / 2 && pays) unroll();
}

void Access::unroll() {
  const int64_t tiles = unrolled_pieces / nest_->pieces();
  const auto extent = checked_multiply(extent_, tiles);
  if (!extent || !checked_add(*extent, nest_->upper()) || nest_->size() > int64_max / tiles) return;
  std::vector<int64_t> offsets, lengths;
  offsets.reserve(unrolled_pieces);
  lengths.reserve(unrolled_pieces);
  Access small = *this;
  small.displacement_ = 0;
  Cursor cursor(small);
  while (cursor.position() < nest_->size() * tiles) {
    const Chunk chunk = cursor.next(nest_->size() * tiles - cursor.position());
    for (int64_t i = 0; i < chunk.count; ++i) {
      offsets.push_back(chunk.offset(i));
      lengths.push_back(chunk.length);
    }
  }
  Result<NestRef> list = Nest::blocks({.offsets = offsets, .lengths = lengths});
  if (!list || (*list)->kind() != Nest::Kind::blocks) return;
  nest_ = std::move(*list);
  extent_ = *extent;
}

Access Access::of(const DataType& type, int64_t displacement, int64_t tiles) {
  return Access(type.nest, displacement, type.extent, tiles);
}

Access Access::contiguous(int64_t displacement) {
  return Access(Nest::bytes(1), displacement, 1);
}

void Access::move(int64_t shift_bytes) {
  displacement_ = saturating_add(displacement_, shift_bytes);
}

bool Access::monotone_within(int64_t data_bytes) const {
  if (monotone_ || data_bytes <= 0) return true;
  return data_bytes <= nest_->size() && monotone_prefix(nest_.get(), data_bytes);
}

bool Access::comes_twice(int64_t begin, int64_t end) const {
  if (monotone_within(end) || end <= begin) return false;
  const int64_t size = nest_->size(), first = begin / size, last = (end - 1) / size;
  if (first == last) return false;
  const auto part = [&](int64_t tile) {
    return Interval{std::max(begin, tile * size), std::min(end - tile * size, size) + tile * size};
  };
  // Tiles that are further apart than a tile is long have no byte in common. Of the others, all whole ones
  // that are equally far apart lie alike; only the first and the last tile may be parts.
  int64_t most = last - first;
  if (extent_ > 0) most = std::min(most, (nest_->upper() - nest_->lower() - 1) / extent_);
  for (int64_t apart = 1; apart <= most; ++apart) {
    for (const int64_t tile : {first, first + 1, last - apart}) {
      if (tile + apart <= last && meet(*this, part(tile), part(tile + apart))) return true;
    }
  }
  return false;
}

std::optional<Access> Access::from_tile(int64_t tile) const {
  const auto origin = exact_tile_origin(tile);
  if (!origin) return std::nullopt;
  Access rest = *this;
  rest.displacement_ = *origin;
  return rest;
}

std::optional<int64_t> Access::exact_tile_origin(int64_t tile) const {
  const auto distance = checked_multiply(tile, extent_);
  return distance ? checked_add(displacement_, *distance) : std::nullopt;
}

int64_t Access::tile_origin(int64_t tile) const {
  return saturating_add(displacement_, saturating_multiply(tile, extent_));
}

int64_t Access::offset_of(int64_t position) const {
  if (contiguous_) return saturating_add(displacement_, position);
  const int64_t size = nest_->size();
  if (size == 0) return displacement_;
  return saturating_add(tile_origin(position / size), nest_offset_of(nest_.get(), position % size));
}

std::optional<int64_t> Access::exact_offset_of(int64_t position) const {
  if (contiguous_) return checked_add(displacement_, position);
  const int64_t size = nest_->size();
  if (size == 0) return displacement_;
  const auto origin = exact_tile_origin(position / size);
  return origin ? checked_add(*origin, nest_offset_of(nest_.get(), position % size)) : std::nullopt;
}

bool Access::reaches(int64_t begin, int64_t end) const {
  if (end <= begin || empty()) return true;
  const int64_t size = nest_->size();
  // The outermost bytes are the first and the last byte, or, if offsets may decrease, bytes of the first and
  // the last tile.
  std::optional<int64_t> low = exact_offset_of(begin), high = exact_offset_of(end - 1);
  if (!monotone_within(end) && low && high) {
    const int64_t first = tile_origin(begin / size), last = tile_origin((end - 1) / size);
    low = checked_add(std::min(first, last), nest_->lower());
    high = checked_add(std::max(first, last), nest_->upper() - 1);
  }
  return low && high && *high < int64_max;
}

int64_t Access::data_before(int64_t offset) const {
  const int64_t size = nest_->size();
  int64_t distance;  // of `offset` from the first byte
  const int64_t first = saturating_add(displacement_, nest_->lower());
  if (size == 0 || offset <= first) return 0;
  if (__builtin_sub_overflow(offset, first, &distance)) distance = int64_max;
  if (contiguous_) return distance;
  // Where tiles are apart, the one that begins before the offset; else the first that reaches the offset.
  const int64_t length = nest_->upper() - nest_->lower();
  int64_t tile = 0;
  if (extent_ > 0)
    tile = extent_ >= length ? distance / extent_
                             : ceil_divide(std::max<int64_t>(0, distance - length), extent_);
  if (!nest_->monotone()) {
    Cursor cursor(*this, saturating_multiply(tile, size));
    for (const int64_t end = saturating_add(cursor.position(), size); cursor.position() < end;) {
      const int64_t position = cursor.position();
      const Chunk chunk = cursor.next(end - position);
      for (int64_t i = 0; i < chunk.count; ++i) {
        const int64_t skipped = std::max<int64_t>(0, offset - chunk.offset(i));
        if (skipped < chunk.length) return position + i * chunk.length + skipped;
      }
    }
    return cursor.position();
  }
  const int64_t within = saturating_add(distance - tile * extent_, nest_->lower());
  return saturating_add(saturating_multiply(tile, size), nest_data_before(nest_.get(), within));
}

Interval Access::bounds(int64_t begin, int64_t end) const {
  if (end <= begin || empty()) return {0, 0};
  const int64_t size = nest_->size(), first = begin / size, last = (end - 1) / size;
  if (monotone_ || (first == last && (nest_->monotone() || end - begin == 1))) {
    return {offset_of(begin), saturating_add(offset_of(end - 1), 1)};
  }
  const int64_t from = tile_origin(first), to = tile_origin(last);
  return {saturating_add(std::min(from, to), nest_->lower()),
          saturating_add(std::max(from, to), nest_->upper())};
}

int64_t Access::pieces(int64_t begin, int64_t end) const {
  if (end <= begin || empty()) return 0;
  if (contiguous_) return 1;
  const Nest* nest = nest_.get();
  const int64_t size = nest->size(), first = begin / size, last = (end - 1) / size;
  begin -= first * size;
  end -= last * size;
  if (first == last) return nest_pieces(nest, begin, end);
  return nest_pieces(nest, begin, size) + (last - first - 1) * nest->pieces() + nest_pieces(nest, 0, end);
}

Access::Granule Access::granule(int64_t begin, int64_t end) const {
  if (end <= begin || empty()) return {};
  const int64_t first = offset_of(begin), last = saturating_add(offset_of(end - 1), 1);
  const int64_t length = end - begin;
  if (last - first == length && pieces(begin, end) == 1) return {length, first - align_down(first, length)};
  const int64_t size = nest_->size(), tile = begin / size;
  int64_t granule, grid;
  if (tile == (end - 1) / size) {
    const Narrowed part = narrow(nest_.get(), begin - tile * size, end - tile * size);
    granule = part.nest->granule();
    grid = saturating_add(tile_origin(tile), part.shift + part.nest->lower());
  } else {
    granule = std::gcd(nest_->granule(), extent_);
    grid = saturating_add(displacement_, nest_->lower());
  }
  // Whole pieces begin and end on the grid. The first and the last piece may be cut, so their outer ends are
  // counted in.
  granule = std::gcd(std::gcd(granule, first - grid), last - grid);
  return {granule, first - align_down(first, granule)};
}

uint64_t Access::hash() const {
  return empty() ? 0 : hash_with(nest_->hash(), extent_);
}

uint64_t Access::look(int64_t begin, int64_t end) const {
  if (end <= begin || empty()) return 0;
  const int64_t size = nest_->size(), tile = begin / size;
  const bool in_one_tile = (end - 1) / size == tile;
  int64_t phase = begin % period_bytes_;
  uint64_t repeated = hash();
  // Where bounds() are as tight as they can be.
  if (monotone_ || (in_one_tile && nest_->monotone())) {
    if (bounds(begin, end).length() == end - begin) return hash_with(one_piece, end - begin);
    if (in_one_tile) {
      // The copies of a loop and the pieces of a run are alike, and it makes no difference how many there
      // are.
      const Narrowed part = narrow(nest_.get(), begin - tile * size, end - tile * size);
      if (part.nest->kind() == Nest::Kind::loop) {
        repeated = hash_with(part.nest->child()->hash(), part.nest->loop_stride());
        phase = part.begin % part.nest->child()->size();
      } else if (part.nest->kind() == Nest::Kind::run) {
        repeated = hash_with(hash_with(pieces_of_run, part.nest->run().length), part.nest->run().stride);
        phase = part.begin % part.nest->run().length;
      }
    }
  }
  return hash_with(hash_with(repeated, phase), end - begin);
}

Access::Granule combine(Access::Granule a, Access::Granule b) {
  if (a.granule == 0) return b;
  if (b.granule == 0) return a;
  const int64_t granule = std::gcd(std::gcd(a.granule, b.granule), a.anchor - b.anchor);
  return {granule, a.anchor - align_down(a.anchor, granule)};
}

Cursor::Cursor(const Access& access, int64_t position) : access_(&access) {
  seek(position);
}

void Cursor::seek(int64_t position) {
  position_ = position;
  depth_ = remembered_ = 0;
  const Nest* nest = access_->nest().get();
  if (access_->empty()) {
    pieces_ = piece_ = 0;
    return;
  }
  if (access_->is_contiguous()) {
    // A contiguous access is one piece without end.
    leaf_ = nest;
    origin_ = access_->displacement();
    length_ = int64_max;
    pieces_ = 1;
    piece_ = 0;
    within_ = position;
    return;
  }
  tile_ = position / nest->size();
  const int64_t tiles_origin = access_->tile_origin(0);
  if (nest->kind() == Nest::Kind::run && nest->run().count == 1) {
    // Tiles of one piece each are an endless run.
    leaf_ = nest;
    origin_ = tiles_origin + nest->run().offset;
    length_ = nest->run().length;
    stride_ = access_->extent();
    pieces_ = int64_max;
    piece_ = tile_;
    within_ = position - tile_ * nest->size();
    return;
  }
  descend(nest, access_->tile_origin(tile_), position - tile_ * nest->size());
}

void Cursor::push(const Level& level) {
  levels_[depth_++ % most_levels] = level;
  remembered_ = std::min(remembered_ + 1, most_levels);
}

// Sums saturate, since a cursor may stand behind the last byte whose offset 64 bits can hold. Nobody asks it
// for more bytes then.
void Cursor::descend(const Nest* nest, int64_t shift, int64_t position) {
  while (true) {
    if (nest->kind() == Nest::Kind::loop) {
      const int64_t copy = position == 0 ? 0 : position / nest->child()->size();
      push(Level{nest, shift, copy});
      shift = saturating_add(shift, nest->loop_offset() + copy * nest->loop_stride());
      position -= copy * nest->child()->size();
      nest = nest->child().get();
    } else if (nest->kind() == Nest::Kind::sequence) {
      const size_t index = position == 0 ? 0 : part_at(nest->parts(), position);
      const Nest::Part& part = nest->parts()[index];
      push(Level{nest, shift, static_cast<int64_t>(index)});
      shift = saturating_add(shift, part.offset);
      position -= part.data_position;
      nest = part.child.get();
    } else {
      return enter(nest, shift, position);
    }
  }
}

void Cursor::enter(const Nest* leaf, int64_t shift, int64_t position) {
  leaf_ = leaf;
  if (leaf->kind() == Nest::Kind::run) {
    const Run& run = leaf->run();
    origin_ = saturating_add(shift, run.offset);
    length_ = run.length;
    stride_ = run.stride;
    pieces_ = run.count;
    offsets_ = nullptr;
  } else {
    origin_ = shift;
    length_ = leaf->uniform_length();
    pieces_ = leaf->pieces();
    offsets_ = leaf->offsets().data();
  }
  piece_ = within_ = 0;
  if (position == 0) return;
  if (length_ > 0) {
    piece_ = position / length_;
    within_ = position - piece_ * length_;
  } else {
    const BlockPosition block = block_at(*leaf, position);
    piece_ = block.index;
    within_ = position - block.begin;
  }
}

void Cursor::advance_leaf() {
  for (; remembered_ > 0; --remembered_, --depth_) {
    Level& top = levels_[(depth_ - 1) % most_levels];
    const Nest* nest = top.nest;
    if (nest->kind() == Nest::Kind::loop) {
      if (top.index + 1 == nest->loop_count()) continue;
      ++top.index;
      if (nest->child().get() == leaf_) {  // the next copy of the same leaf
        origin_ += nest->loop_stride();
        piece_ = 0;
        return;
      }
      return descend(nest->child().get(), top.shift + nest->loop_offset() + top.index * nest->loop_stride(),
                     0);
    }
    const auto parts = nest->parts();
    if (top.index + 1 == static_cast<int64_t>(parts.size())) continue;
    const Nest::Part& part = parts[static_cast<size_t>(++top.index)];
    return descend(part.child.get(), top.shift + part.offset, 0);
  }
  if (depth_ > 0) return seek(position_);
  descend(access_->nest().get(), access_->tile_origin(++tile_), 0);
}

Chunk Cursor::next(int64_t max_bytes) {
  if (piece_ == pieces_) advance_leaf();
  if (length_ == 0) return next_varying(max_bytes);
  const int64_t offset = origin_ + (offsets_ ? offsets_[piece_] : piece_ * stride_);
  if (within_ > 0 || max_bytes < length_) {
    const int64_t bytes = std::min(length_ - within_, max_bytes);
    const Chunk chunk{offset + within_, bytes, bytes, 1, nullptr};
    position_ += bytes;
    within_ += bytes;
    if (within_ == length_) {
      within_ = 0;
      ++piece_;
    }
    return chunk;
  }
  int64_t count = pieces_ - piece_;
  // The product is checked, since an endless run has any number of pieces.
  int64_t bytes;
  if (__builtin_mul_overflow(count, length_, &bytes) || bytes > max_bytes) {
    count = max_bytes / length_;
    bytes = count * length_;
  }
  Chunk chunk{offset, length_, stride_, count, nullptr};
  if (count == 1) {
    chunk.stride = length_;
  } else if (offsets_) {
    chunk.base = origin_;
    chunk.stride = 0;
    chunk.offsets = offsets_ + piece_;
  }
  piece_ += count;
  position_ += bytes;
  return chunk;
}

BlockList Cursor::next_blocks(int64_t max_bytes) {
  if (piece_ == pieces_) advance_leaf();
  if (length_ != 0 || within_ > 0) return {};
  const std::span<const int64_t> positions = leaf_->positions().subspan(static_cast<size_t>(piece_));
  int64_t count = pieces_ - piece_;
  if (positions.back() - positions[0] > max_bytes) {
    count = static_cast<int64_t>(last_not_above(positions, positions[0] + max_bytes));
  }
  const BlockList list{origin_, count, offsets_ + piece_, positions.data()};
  piece_ += count;
  position_ += positions[static_cast<size_t>(count)] - positions[0];
  return list;
}

// For blocks of differing lengths: returns as many as happen to have the length of the next one.
Chunk Cursor::next_varying(int64_t max_bytes) {
  const int64_t* positions = leaf_->positions().data() + piece_;
  const int64_t length = positions[1] - positions[0];
  if (within_ > 0 || max_bytes < length) {
    const int64_t bytes = std::min(length - within_, max_bytes);
    const Chunk chunk{origin_ + offsets_[piece_] + within_, bytes, bytes, 1, nullptr};
    position_ += bytes;
    within_ += bytes;
    if (within_ == length) {
      within_ = 0;
      ++piece_;
    }
    return chunk;
  }
  const int64_t left = pieces_ - piece_;
  int64_t count = 1, bytes = length;
  while (count < left && positions[count + 1] - positions[count] == length && bytes + length <= max_bytes) {
    ++count;
    bytes += length;
  }
  Chunk chunk{origin_ + offsets_[piece_], length, length, 1, nullptr};
  if (count > 1) chunk = Chunk{origin_, length, 0, count, offsets_ + piece_};
  piece_ += count;
  position_ += bytes;
  return chunk;
}

}  // namespace concilio::pattern
