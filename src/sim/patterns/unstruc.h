// An irregular map: a fixed pseudo-random permutation deals the elements of an array out to the ranks,
// the same number to each. A rank's own elements are in ascending order.
#pragma once

#include <span>

#include "sim/patterns/parameters.h"

namespace concilio::sim {

struct Unstruc {
  int ranks;
  int64_t element_bytes;
  int64_t elements;  // number of elements of a rank
};
inline constexpr PatternWords unstruc_words = {
    "unstruc", "[:B]", "irregular map: elements of B (64) bytes, permuted over the ranks"};
Result<Unstruc> unstruc_of(const Parameters& parameters, const Size& size);

// The elements of each rank, in ascending order. It takes eight bytes an element while it is made.
class UnstrucMap {
 public:
  explicit UnstrucMap(const Unstruc& of);
  std::span<const uint32_t> elements_of(int rank) const {
    return std::span(sorted_).subspan(static_cast<size_t>(rank) * elements_, elements_);
  }

 private:
  size_t elements_;               // number of elements of a rank
  std::vector<uint32_t> sorted_;  // those of rank 0, then those of rank 1, and so on
};

}  // namespace concilio::sim
