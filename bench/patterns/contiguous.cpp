#include "sim/patterns/contiguous.h"

#include <climits>

#include "patterns/pattern.h"

namespace concilio::bench {

namespace {

class Contiguous : public Pattern {
 public:
  explicit Contiguous(int64_t bytes) : bytes_(bytes) {}
  void for_each_piece(int rank, const std::function<void(const Piece&)>& visit) const override {
    visit({rank * bytes_, 0, bytes_});
  }
  int64_t buffer_bytes(int) const override { return bytes_; }
  Access make_access(int rank, int) const override {
    Access access;
    access.offset = rank * bytes_;
    access.count = static_cast<int>(bytes_);
    return access;
  }
  bool side_by_side() const override { return true; }

 private:
  int64_t bytes_;
};

}  // namespace

Made make_contiguous(const Parameters& parameters, const Size& size) {
  const Result<sim::Contiguous> parts = sim::contiguous_of(parameters, size);
  if (!parts) return parts.error();
  if (parts->bytes > INT_MAX) return sim::malformed("at most 2047 MiB a rank");
  return Made(std::make_unique<Contiguous>(parts->bytes));
}

}  // namespace concilio::bench
