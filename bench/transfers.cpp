#include "transfers.h"

#include <fmt/format.h>

#include <algorithm>

namespace concilio::bench {

namespace {

class RowOfTransfers : public Pattern {
 public:
  RowOfTransfers(const Transfers& transfers, std::function<int64_t(int, int64_t)> offset)
      : transfers_(transfers), offset_(std::move(offset)) {}
  void for_each_piece(int rank, const std::function<void(const Piece&)>& visit) const override {
    for (int64_t i = 0; i < transfers_.count; ++i)
      visit({offset_(rank, i), i * transfers_.bytes, transfers_.bytes});
  }
  int64_t buffer_bytes(int) const override { return transfers_.count * transfers_.bytes; }
  int calls() const override { return static_cast<int>(transfers_.count); }
  Access make_access(int rank, int call) const override {
    Access access;
    access.displacement = offset_(rank, call);
    access.count = static_cast<int>(transfers_.bytes);
    access.memory_offset = call * transfers_.bytes;
    return access;
  }
  std::string note() const override { return transfers_.note; }

 private:
  Transfers transfers_;
  std::function<int64_t(int, int64_t)> offset_;
};

}  // namespace

std::unique_ptr<Pattern> make_transfers(const Transfers& transfers,
                                        std::function<int64_t(int rank, int64_t call)> offset) {
  return std::make_unique<RowOfTransfers>(transfers, std::move(offset));
}

Transfers transfers_of(int64_t bytes, const Size& size) {
  const int64_t wanted = std::max<int64_t>(size.bytes_per_rank / bytes, 1);
  Transfers transfers{size.ranks, bytes, std::min(wanted, most_transfers), {}};
  if (wanted > most_transfers) {
    transfers.note = fmt::format("{} calls, {} of {} bytes a rank", most_transfers, most_transfers * bytes,
                                 size.bytes_per_rank);
  }
  return transfers;
}

}  // namespace concilio::bench
