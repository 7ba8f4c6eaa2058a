#include "sim/patterns/unstruc.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "sim/pattern.h"

namespace concilio::sim {
namespace {

// The limit for the whole map.
constexpr int64_t most_elements = int64_t{1} << 26;

uint64_t mix(uint64_t x) {
  x *= 0x9E3779B97F4A7C15u;
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93u;
  x ^= x >> 32;
  return x;
}

}  // namespace

UnstrucMap::UnstrucMap(const Unstruc& of) : elements_(static_cast<size_t>(of.elements)) {
  const auto ranks = static_cast<size_t>(of.ranks);
  const size_t elements = ranks * elements_;
  std::vector<uint32_t> owner(elements);
  sorted_.resize(elements);
  for (size_t i = 0; i < elements; ++i) owner[i] = static_cast<uint32_t>(i % ranks);
  for (size_t i = elements; i > 1; --i) std::swap(owner[i - 1], owner[mix(i) % i]);
  std::vector<size_t> next(ranks);
  for (size_t rank = 0; rank < ranks; ++rank) next[rank] = rank * elements_;
  for (size_t i = 0; i < elements; ++i) sorted_[next[owner[i]]++] = static_cast<uint32_t>(i);
}

Result<Unstruc> unstruc_of(const Parameters& parameters, const Size& size) {
  const int64_t bytes = parameters.empty() ? 64 : piece_bytes(parameters[0]);
  if (bytes == 0 || parameters.size() > 1) return malformed(std::string("B is ") + piece_bytes_rule);
  return Unstruc{size.ranks, bytes, std::max<int64_t>(size.bytes_per_rank / bytes, 1)};
}

Result<Pattern> unstruc(const Parameters& parameters, const Size& size) {
  const Result<Unstruc> made = unstruc_of(parameters, size);
  if (!made) return made.error();
  const auto [ranks, bytes, elements] = *made;
  if (elements > most_elements / ranks)
    return malformed(fmt::format(
        "a map of more than {} elements is not drawn up: take fewer ranks or bytes a rank, or a larger B",
        most_elements));
  const auto map = std::make_shared<const UnstrucMap>(*made);
  return Pattern{
      1, "", [map, bytes = bytes](int rank, int) {
        std::vector<int64_t> offsets;
        for (const uint32_t element : map->elements_of(rank)) offsets.push_back(element * bytes);
        const Result<pattern::NestRef> pieces =
            pattern::Nest::blocks({.offsets = offsets, .lengths = std::span<const int64_t>(&bytes, 1)});
        return pieces
                   ? Request{whole(*pieces, 0), pattern::Access::contiguous(0), std::ssize(offsets) * bytes}
                   : Request{};
      }};
}

}  // namespace concilio::sim
