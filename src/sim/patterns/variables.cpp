#include "sim/patterns/variables.h"

#include <algorithm>

#include "base/checked.h"
#include "sim/pattern.h"

namespace concilio::sim {
namespace {

constexpr int64_t most_calls = 1 << 20;

}  // namespace

Result<Variables> variables_of(const Parameters& parameters, const Size& size) {
  Variables grid{size.ranks};
  int64_t* const numbers[] = {&grid.variables, &grid.steps, &grid.piece_bytes};
  for (size_t i = 0; i < std::min(parameters.size(), std::size(numbers)); ++i)
    *numbers[i] = piece_bytes(parameters[i]);
  if (parameters.size() > std::size(numbers) ||
      std::ranges::any_of(numbers, [](const int64_t* number) { return *number == 0; }))
    return malformed(std::string("VARIABLES, STEPS and BYTES are each ") + piece_bytes_rule);
  if (grid.variables > most_calls / grid.steps) return malformed("a repetition has more than 1048576 calls");
  // The mean of all variables is what is wished for.
  const int64_t mean_rows = size.bytes_per_rank / grid.piece_bytes;
  grid.rows_of_first = std::max<int64_t>(2 * mean_rows / (grid.variables + 1), 1);
  const auto rows = checked_multiply(grid.rows_of_first, grid.variables * (grid.variables + 1) / 2);
  const auto step = checked_multiply(rows.value_or(INT64_MAX), grid.row_bytes());
  if (!checked_multiply(step.value_or(INT64_MAX), grid.steps))
    return malformed("the file is larger than files can be");
  return grid;
}

Result<Pattern> variables(const Parameters& parameters, const Size& size) {
  const Result<Variables> made = variables_of(parameters, size);
  if (!made) return made.error();
  return Pattern{static_cast<int>(made->calls()), "", [grid = *made](int rank, int call) {
                   const int64_t variable = call % grid.variables;
                   const Result<pattern::NestRef> rows =
                       series(grid.piece_bytes, grid.rows(variable), grid.row_bytes());
                   return rows ? Request{whole(*rows, grid.begin(rank, call)), pattern::Access::contiguous(0),
                                         grid.bytes_of_rank(variable)}
                               : Request{};
                 }};
}

}  // namespace concilio::sim
