#include "pattern/excerpt.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace concilio::pattern {
namespace {

// A nest of some of another's parts. Its first byte is at data position `begin` of the other.
struct Cut {
  NestRef nest;
  int64_t begin;
};

// The entries, of those that begin at ascending data positions, that hold data [data.begin, data.end).
template <typename Entry, typename PositionOf>
std::pair<size_t, size_t> holding(std::span<const Entry> entries, Interval data, PositionOf&& position_of) {
  const auto first = std::upper_bound(entries.begin() + 1, entries.end(), data.begin,
                                      [&](int64_t p, const Entry& e) { return p < position_of(e); }) -
                     1;
  const auto end = std::lower_bound(first + 1, entries.end(), data.end,
                                    [&](const Entry& e, int64_t p) { return position_of(e) < p; });
  return {static_cast<size_t>(first - entries.begin()), static_cast<size_t>(end - entries.begin())};
}

Result<Cut> cut_blocks(const NestRef& nest, Interval data) {
  const int64_t uniform = nest->uniform_length();
  const std::span<const int64_t> offsets = nest->offsets(), positions = nest->positions();
  size_t first = 0, end = offsets.size();
  if (uniform > 0) {
    first = static_cast<size_t>(data.begin / uniform);
    end = static_cast<size_t>((data.end - 1) / uniform) + 1;
  } else {
    std::tie(first, end) =
        holding(positions.first(offsets.size()), data, [](int64_t position) { return position; });
  }
  if (end - first == offsets.size()) return Cut{nest, 0};
  std::vector<int64_t> lengths(uniform > 0 ? 1 : end - first, uniform);
  for (size_t i = first; uniform <= 0 && i < end; ++i) lengths[i - first] = positions[i + 1] - positions[i];
  Result<NestRef> some = Nest::blocks({Numbers(offsets.subspan(first, end - first)), Numbers(lengths)});
  if (!some) return some.error();
  return Cut{std::move(*some), uniform > 0 ? static_cast<int64_t>(first) * uniform : positions[first]};
}

Result<Cut> cut(const NestRef& nest, Interval data);

// The one part or copy of a nest that holds the data, shifted by `offset`.
Result<Cut> cut_child(const NestRef& child, int64_t offset, int64_t begin, Interval data) {
  Result<Cut> within = cut(child, {data.begin - begin, data.end - begin});
  if (!within) return within;
  Result<NestRef> shifted = Nest::sequence({{offset, 0, std::move(within->nest)}});
  if (!shifted) return shifted.error();
  return Cut{std::move(*shifted), begin + within->begin};
}

Result<Cut> cut_sequence(const NestRef& nest, Interval data) {
  const std::span<const Nest::Part> parts = nest->parts();
  const auto [first, end] = holding(parts, data, [](const Nest::Part& part) { return part.data_position; });
  if (end - first == 1)
    return cut_child(parts[first].child, parts[first].offset, parts[first].data_position, data);
  if (end - first == parts.size()) return Cut{nest, 0};
  const int64_t begin = parts[first].data_position;
  const auto some = parts.subspan(first, end - first);
  Result<NestRef> fewer = Nest::sequence({some.begin(), some.end()});
  if (!fewer) return fewer.error();
  return Cut{std::move(*fewer), begin};
}

Result<Cut> cut_loop(const NestRef& nest, Interval data) {
  const int64_t size = nest->child()->size(), copy = data.begin / size;
  // Several copies have one description in common.
  if (copy != (data.end - 1) / size || nest->child()->kind() == Nest::Kind::run) return Cut{nest, 0};
  return cut_child(nest->child(), nest->loop_offset() + copy * nest->loop_stride(), copy * size, data);
}

Result<Cut> cut(const NestRef& nest, Interval data) {
  switch (nest->kind()) {
    case Nest::Kind::blocks:
      return cut_blocks(nest, data);
    case Nest::Kind::sequence:
      return cut_sequence(nest, data);
    case Nest::Kind::loop:
      return cut_loop(nest, data);
    case Nest::Kind::run:
    case Nest::Kind::empty:
      break;
  }
  return Cut{nest, 0};
}

}  // namespace

Result<Excerpt> excerpt(const Access& access, Interval data) {
  const int64_t size = access.nest()->size(), tile = data.begin / size;
  if (tile != (data.end - 1) / size) return Excerpt{access, data};
  const int64_t before = tile * size;
  const Result<Cut> some = cut(access.nest(), {data.begin - before, data.end - before});
  if (!some) return some.error();
  if (some->nest == access.nest()) return Excerpt{access, data};
  // As the data exist, so do the offsets of their tile.
  const Access fewer(some->nest, access.displacement() + tile * access.extent(), access.extent(), 1);
  const int64_t left_out = before + some->begin;
  return Excerpt{fewer, {data.begin - left_out, data.end - left_out}};
}

}  // namespace concilio::pattern
