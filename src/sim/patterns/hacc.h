// HACC-IO: particles of nine variables. Each variable is an array in memory, and has a call of its own.
#pragma once

#include <array>

#include "sim/patterns/parameters.h"

namespace concilio::sim {

struct Hacc {
  enum class Layout { shared, records, file_per_process };
  struct Variable {
    int bytes, before;  // size of the variable, and its offset in a particle's record
  };
  // xx yy zz vx vy vz phi, pid, mask.
  static constexpr std::array<Variable, 9> variables = {
      {{4, 0}, {4, 4}, {4, 8}, {4, 12}, {4, 16}, {4, 20}, {4, 24}, {8, 28}, {2, 36}}};
  static constexpr int64_t particle_bytes = 38;

  int ranks;
  int64_t particles;  // number of particles of a rank
  Layout layout = Layout::shared;

  // The offset in the file of a rank's part of a variable.
  int64_t begin(int rank, const Variable& variable) const {
    if (layout == Layout::file_per_process) return particles * variable.before;
    if (layout == Layout::records) return rank * particles * particle_bytes + variable.before;
    return particles * (int64_t{ranks} * variable.before + int64_t{rank} * variable.bytes);
  }
};
inline constexpr PatternWords hacc_words = {
    "hacc", "[:PARTICLES][:shared|records|fpp]",
    "HACC-IO: a call for each of nine variables of PARTICLES a rank (38 bytes each); the file holds one "
    "variable after another (shared), records of a particle each (records), or each rank has its own (fpp)"};
Result<Hacc> hacc_of(const Parameters& parameters, const Size& size);

}  // namespace concilio::sim
