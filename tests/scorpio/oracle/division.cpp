#include "division.h"

#include <algorithm>
#include <numeric>

namespace scorpio_oracle {
namespace {

using tests::Random;

// Divides `whole` into `parts`. Some are 0 unless `positive` is set.
Extents random_parts(Random& random, int64_t whole, int64_t parts, bool positive) {
  const int64_t free = positive ? whole - parts : whole;
  Extents cuts = {0, free};
  for (int64_t i = 1; i < parts; ++i) cuts.push_back(random.between(0, free));
  std::sort(cuts.begin(), cuts.end());
  Extents lengths;
  for (size_t i = 0; i + 1 < cuts.size(); ++i) lengths.push_back(cuts[i + 1] - cuts[i] + (positive ? 1 : 0));
  return lengths;
}

Block whole_of(const Extents& dims) {
  return {Extents(dims.size(), 0), dims};
}

// A block without elements: one extent is 0, and the others may be anything.
Block empty_block(Random& random, const Extents& dims) {
  Block block = whole_of(dims);
  for (size_t d = 0; d < dims.size(); ++d) {
    block.start[d] = random.between(0, dims[d]);
    block.count[d] = random.between(0, dims[d]);
  }
  block.count[static_cast<size_t>(random.between(0, std::ssize(dims) - 1))] = 0;
  if (random.chance(50)) block.count.assign(dims.size(), 0);
  return block;
}

Block random_block(Random& random, const Extents& dims) {
  Block block = whole_of(dims);
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == 0 || random.chance(25)) continue;
    block.start[d] = random.between(0, dims[d] - 1);
    block.count[d] = random.between(1, dims[d] - block.start[d]);
  }
  return block;
}

// Divides the first dimension.
std::vector<Block> rows_in_order(const Extents& dims, const Extents& rows) {
  std::vector<Block> blocks;
  int64_t at = 0;
  for (int64_t count : rows) {
    Block block = whole_of(dims);
    block.start[0] = at;
    block.count[0] = count;
    blocks.push_back(block);
    at += count;
  }
  return blocks;
}

// Tiles `room` with `parts` blocks, beginning with dimension `d`. Each slab is divided in its own way, or all
// in the same way.
void tile(Random& random, const Block& room, size_t d, int64_t parts, std::vector<Block>& out) {
  if (d == room.count.size() || parts == 1) {
    out.push_back(room);
    return;
  }
  const bool last = d + 1 == room.count.size();
  const int64_t most = std::min(parts, room.count[d]);
  const int64_t slabs = last ? most : random.between(1, most);
  const Extents lengths = random_parts(random, room.count[d], slabs, true);
  Extents shares = random_parts(random, parts, slabs, true);
  if (parts % slabs == 0 && random.chance(50)) shares.assign(static_cast<size_t>(slabs), parts / slabs);
  int64_t at = room.start[d];
  for (size_t i = 0; i < lengths.size(); ++i) {
    Block slab = room;
    slab.start[d] = at;
    slab.count[d] = lengths[i];
    tile(random, slab, d + 1, shares[i], out);
    at += lengths[i];
  }
}

// The ranks form a grid. Block (i, j) belongs to rank i * columns + j, with the last dimension first.
void grid(Random& random, const Extents& dims, int ranks, std::vector<Block>& out) {
  Extents sides;
  int64_t left = ranks;
  for (size_t d = 0; d < dims.size(); ++d) {
    int64_t side = 1;
    for (int64_t factor = 2; factor <= left; ++factor) {
      if (left % factor == 0 && factor <= dims[d] && random.chance(50)) side = factor;
    }
    sides.push_back(side);
    left /= side;
  }
  std::vector<Extents> lengths;
  for (size_t d = 0; d < dims.size(); ++d) lengths.push_back(random_parts(random, dims[d], sides[d], true));
  for (int64_t i = 0; i < elements_of(sides); ++i) {
    Block block = whole_of(dims);
    int64_t rest = i;
    for (size_t d = dims.size(); d-- > 0; rest /= sides[d]) {
      const auto& cuts = lengths[d];
      const int64_t place = rest % sides[d];
      block.start[d] = std::accumulate(cuts.begin(), cuts.begin() + place, int64_t{0});
      block.count[d] = cuts[static_cast<size_t>(place)];
    }
    out.push_back(block);
  }
}

std::vector<Block> noncontiguous(Random& random, const Extents& dims, int ranks) {
  std::vector<Block> blocks;
  if (elements_of(dims) == 0) {
    blocks.push_back(whole_of(dims));
  } else if (random.chance(60)) {
    grid(random, dims, ranks, blocks);
  } else {
    tile(random, whole_of(dims), 0, random.between(1, ranks), blocks);
  }
  // Ranks without elements between others.
  while (std::ssize(blocks) < ranks) {
    Block none = whole_of(dims);
    none.count.assign(dims.size(), 0);
    blocks.insert(blocks.begin() + random.between(0, std::ssize(blocks)), none);
  }
  return blocks;
}

// Random cuts. Each rank gets one of the pieces or nothing.
std::vector<Block> disjoint(Random& random, const Extents& dims, int ranks, bool holes) {
  std::vector<Block> pieces = {whole_of(dims)};
  const int64_t wanted = random.between(1, ranks + (holes ? 3 : 0));
  for (int tries = 0; std::ssize(pieces) < wanted && tries < 20; ++tries) {
    const auto which = static_cast<size_t>(random.between(0, std::ssize(pieces) - 1));
    const auto d = static_cast<size_t>(random.between(0, std::ssize(dims) - 1));
    Block& piece = pieces[which];
    if (piece.count[d] < 2) continue;
    Block second = piece;
    const int64_t first = random.between(1, piece.count[d] - 1);
    piece.count[d] = first;
    second.start[d] += first;
    second.count[d] -= first;
    pieces.push_back(second);
  }
  if (!holes) {
    while (std::ssize(pieces) < ranks) pieces.push_back(empty_block(random, dims));
  }
  random.shuffle(pieces);
  while (std::ssize(pieces) < ranks) pieces.push_back(empty_block(random, dims));
  pieces.resize(static_cast<size_t>(ranks));
  random.shuffle(pieces);
  return pieces;
}

std::vector<std::vector<int64_t>> random_maps(Random& random, int64_t rows, int ranks, bool& overlaps) {
  std::vector<std::vector<int64_t>> maps(static_cast<size_t>(ranks));
  if (rows == 0) return maps;
  const int kind = static_cast<int>(random.between(0, 3));
  if (kind == 0) {  // any rows, more than once
    overlaps = true;
    for (auto& map : maps) {
      const int64_t count = random.chance(20) ? 0 : random.between(0, std::min<int64_t>(2 * rows, 3000));
      for (int64_t i = 0; i < count; ++i) map.push_back(random.between(0, rows - 1));
    }
    return maps;
  }
  std::vector<int64_t> order(static_cast<size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  if (kind != 3) random.shuffle(order);
  size_t end = order.size();
  if (kind == 2) end = static_cast<size_t>(random.between(0, rows));  // no rank writes the others
  for (size_t i = 0; i < end; ++i) {
    const int64_t owner = kind == 3 ? static_cast<int64_t>(i) % ranks : random.between(0, ranks - 1);
    maps[static_cast<size_t>(owner)].push_back(order[i]);
  }
  return maps;
}

}  // namespace

iopattern_t Division::pattern(bool write) const {
  switch (call) {
    case Call::uniform:
      return write ? SCORPIO_UNIFORM_CONTIGUOUS_WRITE : SCORPIO_UNIFORM_CONTIGUOUS_READ;
    case Call::nonuniform:
      return write ? SCORPIO_NONUNIFORM_CONTIGUOUS_WRITE : SCORPIO_NONUNIFORM_CONTIGUOUS_READ;
    case Call::noncontiguous:
      return write ? SCORPIO_NONCONTIGUOUS_WRITE : SCORPIO_NONCONTIGUOUS_READ;
    default:
      return SCORPIO_EVERYONE_ENTIRE_DATASET_READ;
  }
}

Division random_division(Random& random, const Extents& dims, int ranks, bool write) {
  Division division;
  std::vector<Call> choices = {Call::nonuniform, Call::noncontiguous, Call::block, Call::block, Call::map};
  if (dims[0] % ranks == 0) choices.push_back(Call::uniform);
  if (!write) choices.insert(choices.end(), {Call::entire, Call::same});
  division.call = choices[static_cast<size_t>(random.between(0, std::ssize(choices) - 1))];
  switch (division.call) {
    case Call::uniform:
      division.blocks = rows_in_order(dims, Extents(static_cast<size_t>(ranks), dims[0] / ranks));
      break;
    case Call::nonuniform:
      division.blocks = rows_in_order(dims, random_parts(random, dims[0], ranks, false));
      break;
    case Call::noncontiguous:
      division.blocks = noncontiguous(random, dims, ranks);
      break;
    case Call::entire:
      division.blocks.assign(static_cast<size_t>(ranks), whole_of(dims));
      break;
    case Call::same:
      division.blocks.assign(static_cast<size_t>(ranks), random_block(random, dims));
      break;
    case Call::map:
      division.maps = random_maps(random, dims[0], ranks, division.overlaps);
      break;
    case Call::block:
      division.overlaps = random.chance(40);
      if (!division.overlaps) {
        division.blocks = disjoint(random, dims, ranks, random.chance(40));
        break;
      }
      for (int rank = 0; rank < ranks; ++rank) {
        division.blocks.push_back(random.chance(15) ? empty_block(random, dims) : random_block(random, dims));
      }
      break;
  }
  return division;
}

const char* name_of(Call call) {
  const char* const names[] = {"uniform", "nonuniform", "noncontiguous", "entire", "block", "same", "map"};
  return names[static_cast<size_t>(call)];
}

std::string describe(const Division& division, int rank) {
  const auto index = static_cast<size_t>(rank);
  if (division.call != Call::map) return text_of(division.blocks[index]);
  const auto& map = division.maps[index];
  std::string text = std::to_string(map.size()) + " rows:";
  for (size_t i = 0; i < map.size() && i < 12; ++i) text += " " + std::to_string(map[i]);
  return text;
}

}  // namespace scorpio_oracle
