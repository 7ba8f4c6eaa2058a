// Each rank one contiguous part of the file.
#include <climits>

#include "pattern.h"

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
    access.displacement = rank * bytes_;
    access.count = static_cast<int>(bytes_);
    return access;
  }

 private:
  int64_t bytes_;
};

}  // namespace

std::unique_ptr<Pattern> make_contiguous(const Parameters& parameters, const Size& size, std::string& error) {
  if (!parameters.empty()) {
    error = "takes no parameter";
    return nullptr;
  }
  if (size.bytes_per_rank > INT_MAX) {
    error = "at most 2047 MiB a rank";
    return nullptr;
  }
  return std::make_unique<Contiguous>(std::max<int64_t>(size.bytes_per_rank, 1));
}

}  // namespace concilio::bench
