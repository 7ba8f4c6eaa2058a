#include "patterns/pattern.h"

#include <fmt/format.h>

#include "sim/patterns/blocks.h"
#include "sim/patterns/btio.h"
#include "sim/patterns/contiguous.h"
#include "sim/patterns/hacc.h"
#include "sim/patterns/timesteps.h"
#include "sim/patterns/transfers.h"
#include "sim/patterns/turns.h"
#include "sim/patterns/unstruc.h"
#include "sim/patterns/variables.h"

namespace concilio::bench {

namespace {

struct Family {
  sim::PatternWords words;
  Made (*make)(const Parameters&, const Size&);
};

constexpr Family families[] = {
    {sim::contiguous_words, make_contiguous},
    {sim::interleaved_words, make_interleaved},
    {sim::block3d_words, make_block3d},
    {sim::block4d_words, make_block4d},
    {sim::btio_words, make_btio},
    {sim::unstruc_words, make_unstruc},
    {sim::hpio_words, make_hpio},
    {sim::extent_words, make_extent},
    {sim::timesteps_words, make_timesteps},
    {sim::variables_words, make_variables},
    {sim::hacc_words, make_hacc},
    {sim::ior_words, make_ior},
    {sim::mpiiotest_words, make_mpiiotest},
};

}  // namespace

int64_t Pattern::data_bytes(int rank) const {
  int64_t sum = 0;
  for_each_piece(rank, [&](const Piece& piece) { sum += piece.bytes; });
  return sum;
}

Made make_pattern(const std::string& text, const Size& size) {
  const auto [name, parameters] = sim::parse_pattern(text);
  for (const Family& family : families) {
    if (name != family.words.name) continue;
    Made pattern = family.make(parameters, size);
    if (pattern) return pattern;
    return sim::malformed(fmt::format("pattern {}: {}; write {}{}", text, pattern.error().message,
                                      family.words.name, family.words.parameters));
  }
  return sim::malformed(fmt::format("there is no pattern {}; there are:\n{}", name, list_of_patterns()));
}

std::string list_of_patterns() {
  std::string text;
  for (const Family& family : families) text += sim::lines_of(family.words);
  return text;
}

}  // namespace concilio::bench
