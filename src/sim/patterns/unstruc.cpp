// An irregular map: a fixed pseudo-random permutation deals the elements of an array out to the ranks, the
// same number to each. A rank's own elements are in ascending order.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "sim/pattern.h"

namespace concilio::sim {
namespace {

// The limit for the whole map, which takes eight bytes an element while it is made.
constexpr int64_t most_elements = int64_t{1} << 26;

// The random numbers of the benchmark program.
uint64_t mix(uint64_t x) {
  x *= 0x9E3779B97F4A7C15u;
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93u;
  x ^= x >> 32;
  return x;
}

// Returns the elements of rank 0 in ascending order, then those of rank 1, and so on.
std::vector<uint32_t> elements_by_rank(size_t ranks, size_t elements_per_rank) {
  const size_t elements = ranks * elements_per_rank;
  std::vector<uint32_t> owner(elements), sorted(elements);
  for (size_t i = 0; i < elements; ++i) owner[i] = static_cast<uint32_t>(i % ranks);
  for (size_t i = elements; i > 1; --i) std::swap(owner[i - 1], owner[mix(i) % i]);
  std::vector<size_t> next(ranks);
  for (size_t rank = 0; rank < ranks; ++rank) next[rank] = rank * elements_per_rank;
  for (size_t i = 0; i < elements; ++i) sorted[next[owner[i]]++] = static_cast<uint32_t>(i);
  return sorted;
}

}  // namespace

Result<Pattern> unstruc(const Parameters& parameters, const Size& size) {
  const int64_t bytes = parameters.empty() ? 64 : piece_bytes(parameters[0]);
  if (bytes == 0 || parameters.size() > 1) return malformed(std::string("B is ") + piece_bytes_rule);
  const int64_t elements = std::max<int64_t>(size.bytes_per_rank / bytes, 1);
  if (elements > most_elements / size.ranks)
    return malformed(fmt::format(
        "a map of more than {} elements is not drawn up: take fewer ranks or bytes a rank, or a larger B",
        most_elements));
  const auto map = std::make_shared<const std::vector<uint32_t>>(
      elements_by_rank(static_cast<size_t>(size.ranks), static_cast<size_t>(elements)));
  return Pattern{
      1, "", [=](int rank, int) {
        std::vector<int64_t> offsets(static_cast<size_t>(elements));
        const uint32_t* own = map->data() + rank * elements;
        for (size_t i = 0; i < offsets.size(); ++i) offsets[i] = own[i] * bytes;
        const Result<NestRef> pieces =
            Nest::blocks({.offsets = offsets, .lengths = std::span<const int64_t>(&bytes, 1)});
        return pieces ? Request{whole(*pieces, 0), Access::contiguous(0), elements * bytes} : Request{};
      }};
}

}  // namespace concilio::sim
