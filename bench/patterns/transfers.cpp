// Sequences of contiguous transfers, each in a call of its own: ior and mpiiotest.
#include "sim/patterns/transfers.h"

#include "patterns/pattern.h"

namespace concilio::bench {

namespace {

using sim::Transfers;

class RowOfTransfers : public Pattern {
 public:
  RowOfTransfers(const Transfers& transfers, bool side_by_side)
      : transfers_(transfers), side_by_side_(side_by_side) {}
  void for_each_piece(int rank, const std::function<void(const Piece&)>& visit) const override {
    for (int64_t i = 0; i < transfers_.count; ++i)
      visit({transfers_.offset(rank, i), i * transfers_.bytes, transfers_.bytes});
  }
  int64_t buffer_bytes(int) const override { return transfers_.count * transfers_.bytes; }
  int calls() const override { return static_cast<int>(transfers_.count); }
  Access make_access(int rank, int call) const override {
    Access access;
    access.offset = transfers_.offset(rank, call);
    access.count = static_cast<int>(transfers_.bytes);
    access.memory_offset = call * transfers_.bytes;
    return access;
  }
  bool side_by_side() const override { return side_by_side_; }
  std::string note() const override { return transfers_.note; }

 private:
  Transfers transfers_;
  bool side_by_side_;
};

Made made_of(const Result<Transfers>& transfers, bool side_by_side) {
  if (!transfers) return transfers.error();
  return Made(std::make_unique<RowOfTransfers>(*transfers, side_by_side));
}

}  // namespace

Made make_ior(const Parameters& parameters, const Size& size) {
  return made_of(sim::ior_of(parameters, size), false);
}

Made make_mpiiotest(const Parameters& parameters, const Size& size) {
  return made_of(sim::mpiiotest_of(parameters, size), true);
}

}  // namespace concilio::bench
