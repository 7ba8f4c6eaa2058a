// How a call divides a dataset among the ranks, drawn at random.
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
  std::vector<Block> blocks;               // one for every rank; not used for maps
  std::vector<std::vector<int64_t>> maps;  // one for every rank; used for maps
  bool overlaps = false;                   // for writes: ranks overlap, so the order matters

  // For calls that take a pattern.
  iopattern_t pattern(bool write) const;
};

Division random_division(tests::Random& random, const Extents& dims, int ranks, bool write);

const char* name_of(Call call);
std::string describe(const Division& division, int rank);

}  // namespace scorpio_oracle
