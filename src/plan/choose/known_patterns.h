// What is known of several patterns of one open file: those met last.
#pragma once

#include <array>
#include <vector>

#include "plan/facts/experience.h"
#include "plan/facts/facts.h"

namespace concilio {

class Experiences {
 public:
  // All memory is had here: an experience that one rank cannot have would be unlike the others'.
  Experiences() { known_.reserve(most_patterns); }
  // That of the calls whose ranks together ask for the same, wherever in the file; new where there were none.
  // Valid until the next call of this function or of forget().
  Experience& of(Operation operation, const Digest& digest);
  void forget() { known_.clear(); }

 private:
  static constexpr size_t most_patterns = 32;
  using Pattern = std::array<int64_t, 10>;
  struct Known {
    Pattern pattern;
    Experience experience;
  };
  std::vector<Known> known_;  // the one met last stands last
};

}  // namespace concilio
