// The access patterns whose traffic is counted: those of the benchmark program, and some more.
#pragma once

#include <memory>
#include <vector>

#include "patterns/pattern.h"

namespace counts {

using PatternRef = std::unique_ptr<concilio::bench::Pattern>;

// Whether the data of several nodes lie between each other, so that some of them must travel.
enum class Interwoven { no, regularly, irregularly };

struct Case {
  const char* name;
  PatternRef (*make)(int ranks, int ranks_per_node, int64_t bytes_per_rank);
  Interwoven interwoven;
};
const std::vector<Case>& cases();

}  // namespace counts
