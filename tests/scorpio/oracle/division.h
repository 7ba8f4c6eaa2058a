// How a call divides a dataset among the ranks, at random.
#pragma once

#include <scorpio.h>

#include <string>
#include <vector>

#include "blocks.h"
#include "common/random.h"

namespace scorpio_oracle {

enum class Call { uniform, nonuniform, noncontiguous, entire, block, same, map };

struct Division {
  Call call = Call::block;
  std::vector<Block> blocks;               // of every rank; not for maps
  std::vector<std::vector<int64_t>> maps;  // of every rank; for maps
  bool overlaps = false;                   // written, it matters who comes last

  // For the calls that take a pattern.
  iopattern_t pattern(bool write) const;
};

Division random_division(tests::Random& random, const Extents& dims, int ranks, bool write);

const char* name_of(Call call);
std::string describe(const Division& division, int rank);

}  // namespace scorpio_oracle
