// The experience with several access patterns of one open file: those met last.
#pragma once

#include <array>
#include <vector>

#include "plan/facts/experience.h"
#include "plan/facts/facts.h"

namespace concilio::plan {

class Experiences {
 public:
  // All memory is allocated here: if one rank later had no memory for an experience, it would choose unlike
  // the others.
  Experiences() { known_.reserve(most_patterns); }
  // The experience of the calls whose ranks together ask for the same, wherever in the file; a new one if
  // there were no such calls. Valid until the next call of this function or of forget().
  Experience& of(Operation operation, const Digest& digest);
  void forget() { known_.clear(); }

 private:
  static constexpr size_t most_patterns = 32;
  using Pattern = std::array<int64_t, 10>;
  struct Known {
    Pattern pattern;
    Experience experience;
    int64_t last_met = 0;
  };
  std::vector<Known> known_;
  int64_t met_ = 0;
};

}  // namespace concilio::plan
