// Each rank has one contiguous part of the file.
#pragma once

#include "sim/patterns/parameters.h"

namespace concilio::sim {

struct Contiguous {
  int64_t bytes;  // bytes of a rank
};
inline constexpr PatternWords contiguous_words = {"contiguous", "", "each rank one contiguous part"};
Result<Contiguous> contiguous_of(const Parameters& parameters, const Size& size);

}  // namespace concilio::sim
