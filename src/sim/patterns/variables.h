// The variables of a grid: the file has a record for each time step, with one variable after another. Each is
// rows of the grid, as many as no other variable has, and of each row every rank has a piece. Each call moves
// one variable of one step, in a view of its own.
#pragma once

#include "sim/patterns/parameters.h"

namespace concilio::sim {

struct Variables {
  int ranks;
  int64_t variables = 6, steps = 4, piece_bytes = 256;
  int64_t rows_of_first = 1;

  // Variable v has v + 1 times as many rows as the first.
  int64_t rows(int64_t variable) const { return (variable + 1) * rows_of_first; }
  int64_t row_bytes() const { return ranks * piece_bytes; }
  int64_t calls() const { return steps * variables; }
  int64_t bytes_of_rank(int64_t variable) const { return rows(variable) * piece_bytes; }
  // What a rank has of the variables before this one in a step.
  int64_t bytes_before(int64_t variable) const {
    return variable * (variable + 1) / 2 * rows_of_first * piece_bytes;
  }
  int64_t step_bytes_of_rank() const { return bytes_before(variables); }
  // Where in the file the rank's part of a call begins.
  int64_t begin(int rank, int64_t call) const {
    return (call / variables * step_bytes_of_rank() + bytes_before(call % variables)) * ranks +
           rank * piece_bytes;
  }
};
inline constexpr PatternWords variables_words = {
    "variables", "[:VARIABLES[:STEPS[:BYTES]]]",
    "a call for each of VARIABLES (6) in each of STEPS (4), with a view of its own: variables of a grid, no "
    "two with as many rows, of which each rank has BYTES (256) of every row"};
Result<Variables> variables_of(const Parameters& parameters, const Size& size);

}  // namespace concilio::sim
