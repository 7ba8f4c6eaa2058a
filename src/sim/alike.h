// Ranks that ask alike: each asks for what the rank before it asks for, some bytes further on in the file. So
// what neighbouring ranks ask for together is one access, and facts of any number of them follow from those
// of one rank and of one node, in a time that does not depend on how many ranks there are.
#pragma once

#include <cstdint>

#include "pattern/access.h"
#include "plan/facts/facts.h"
#include "sim/patterns/turns.h"

namespace concilio::sim {

class Alike {
 public:
  // Ranks that have pieces in turn. Fails if the file is larger than files can be.
  static Result<Alike> of(const Turns& turns);

  const Turns& turns() const { return turns_; }
  int64_t rank_bytes() const { return turns_.bytes * turns_.pieces; }
  // The pieces of ranks [first, first + count), in the order of the file; count is at least 1.
  pattern::Access together(int64_t first, int64_t count) const;
  // How many bytes of theirs lie before an offset, which is not negative. The same as that access says,
  // sooner.
  int64_t data_before(int64_t first, int64_t count, int64_t offset) const;
  // The digest of `count` ranks, of which `of_first` is the first one's.
  plan::Digest digest_of_all(const plan::Digest& of_first, int64_t count) const;

 private:
  explicit Alike(const Turns& turns) : turns_(turns) {}
  Result<pattern::NestRef> nest_of(int64_t count) const;
  Turns turns_;
};

}  // namespace concilio::sim
