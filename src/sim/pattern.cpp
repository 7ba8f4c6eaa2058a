#include "sim/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/patterns/blocks.h"
#include "sim/patterns/btio.h"
#include "sim/patterns/contiguous.h"
#include "sim/patterns/hacc.h"
#include "sim/patterns/timesteps.h"
#include "sim/patterns/transfers.h"
#include "sim/patterns/turns.h"
#include "sim/patterns/unstruc.h"
#include "sim/patterns/variables.h"

namespace concilio::sim {
namespace {

constexpr std::array<PatternRow, 13> rows = {{
    {contiguous_words, contiguous, true},
    {interleaved_words, interleaved, true},
    {block3d_words, block3d},
    {block4d_words, block4d},
    {btio_words, btio},
    {unstruc_words, unstruc},
    {hpio_words, hpio, true},
    {extent_words, extent, true},
    {timesteps_words, timesteps},
    {variables_words, variables},
    {hacc_words, hacc},
    {ior_words, ior},
    {mpiiotest_words, mpiiotest},
}};

}  // namespace

std::span<const PatternRow> pattern_rows() {
  return rows;
}

bool names_pattern(std::string_view text) {
  const std::string name = parse_pattern(text).name;
  return std::ranges::any_of(rows, [&](const PatternRow& row) { return row.words.name == name; });
}

std::string names_of_alike() {
  std::string names;
  for (const PatternRow& row : rows) {
    if (row.alike) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.words.name);
  }
  return names;
}

Result<Pattern> make_pattern(std::string_view text, const Size& size) {
  const auto [name, parameters] = parse_pattern(text);
  std::string known;
  for (const PatternRow& row : rows) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", row.words.name);
    if (name != row.words.name) continue;
    Result<Pattern> made = row.make(parameters, size);
    if (made.ok()) return made;
    return malformed(fmt::format("pattern {}: {}; write {}{}", text, made.error().message, row.words.name,
                                 row.words.parameters));
  }
  return malformed(fmt::format("there is no pattern {}; there are {}", name, known));
}

pattern::Access whole(const pattern::NestRef& nest, int64_t displacement) {
  return pattern::Access(nest, displacement, std::max<int64_t>(1, nest->upper()));
}

Result<pattern::NestRef> series(int64_t bytes, int64_t count, int64_t stride) {
  return pattern::Nest::repeat(pattern::Nest::bytes(bytes), count, stride);
}

}  // namespace concilio::sim
