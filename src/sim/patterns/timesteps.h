// Data points of many variables; the file has all time steps of a point together. Each call writes one time
// step: the elements of that step, of every data point, which ranks have in turn.
#pragma once

#include <algorithm>

#include "sim/patterns/parameters.h"

namespace concilio::sim {

struct Timesteps {
  int ranks;
  int64_t steps = 32, elements = 100, element_bytes = 32, points = 1;

  int64_t step_bytes() const { return elements * element_bytes; }  // bytes of a step of one point
  int64_t point_bytes() const { return steps * step_bytes(); }
  int64_t own_elements(int rank) const { return std::max<int64_t>(elements - rank + ranks - 1, 0) / ranks; }
  int64_t call_bytes(int rank) const { return points * own_elements(rank) * element_bytes; }
};
inline constexpr PatternWords timesteps_words = {
    "timesteps", "[:STEPS[:ELEMENTS/BYTES]]",
    "a call for each of STEPS (32): ELEMENTS (100) of BYTES (32) a data point, in turn over the ranks; "
    "all steps of a point lie together"};
Result<Timesteps> timesteps_of(const Parameters& parameters, const Size& size);

}  // namespace concilio::sim
