#include "sim/patterns/transfers.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "sim/pattern.h"

namespace concilio::sim {
namespace {

Transfers transfers_of(int64_t bytes, const Size& size) {
  const int64_t wanted = std::max<int64_t>(size.bytes_per_rank / bytes, 1);
  Transfers transfers{bytes, std::min(wanted, most_transfers), {}, {}};
  if (wanted > most_transfers) {
    transfers.note = fmt::format("{} calls, {} of {} bytes a rank", most_transfers, most_transfers * bytes,
                                 size.bytes_per_rank);
  }
  return transfers;
}

// The order of a rank's transfers, by the shuffle of Fisher and Yates with a linear congruential generator.
// It is the same every time. Callers ask for one rank after another, so the order of one rank is kept.
class RandomOrder {
 public:
  explicit RandomOrder(int64_t count) : order_(static_cast<size_t>(count)) {}

  int64_t place(int rank, int64_t call) {
    if (rank != rank_) draw(rank);
    return order_[static_cast<size_t>(call)];
  }

 private:
  void draw(int rank) {
    rank_ = rank;
    std::iota(order_.begin(), order_.end(), 0);
    auto state = static_cast<uint64_t>(rank) + 1;
    for (size_t i = order_.size() - 1; i > 0; --i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      std::swap(order_[i], order_[(state >> 33) % (i + 1)]);
    }
  }

  std::vector<int64_t> order_;
  int rank_ = -1;
};

Pattern in_transfers(const Transfers& transfers) {
  return {static_cast<int>(transfers.count), transfers.note,
          [bytes = transfers.bytes, offset = transfers.offset](int rank, int call) {
            return Request{pattern::Access::contiguous(offset(rank, call)), pattern::Access::contiguous(0),
                           bytes};
          }};
}

}  // namespace

Result<Transfers> ior_of(const Parameters& parameters, const Size& size) {
  Parameters numbers = parameters;
  const bool random = !numbers.empty() && numbers.back() == "random";
  if (random) numbers.pop_back();
  const int64_t bytes = numbers.empty() ? 0 : piece_bytes(numbers[0]);
  const int64_t block = numbers.size() == 2 ? piece_bytes(numbers[1]) : 0;
  if (bytes == 0 || numbers.size() > 2 || (numbers.size() == 2 && (block == 0 || block % bytes != 0)))
    return malformed(std::string("TRANSFER is ") + piece_bytes_rule + ", and BLOCK a multiple of it");
  Transfers transfers = transfers_of(bytes, size);
  // Without BLOCK there is one segment.
  const int64_t in_block = block > 0 ? block / bytes : transfers.count;
  const auto order = std::make_shared<RandomOrder>(transfers.count);
  transfers.offset = [=, ranks = size.ranks](int rank, int64_t call) {
    const int64_t place = random ? order->place(rank, call) : call;
    return ((place / in_block * ranks + rank) * in_block + place % in_block) * bytes;
  };
  return transfers;
}

Result<Transfers> mpiiotest_of(const Parameters& parameters, const Size& size) {
  const int64_t bytes = parameters.size() == 1 ? piece_bytes(parameters[0]) : 0;
  if (bytes == 0) return malformed(std::string("BLOCK is ") + piece_bytes_rule);
  Transfers transfers = transfers_of(bytes, size);
  transfers.offset = [=, ranks = size.ranks](int rank, int64_t call) {
    return (call * ranks + rank) * bytes;
  };
  return transfers;
}

Result<Pattern> ior(const Parameters& parameters, const Size& size) {
  const Result<Transfers> transfers = ior_of(parameters, size);
  return transfers ? in_transfers(*transfers) : Result<Pattern>(transfers.error());
}

Result<Pattern> mpiiotest(const Parameters& parameters, const Size& size) {
  const Result<Transfers> transfers = mpiiotest_of(parameters, size);
  return transfers ? in_transfers(*transfers) : Result<Pattern>(transfers.error());
}

}  // namespace concilio::sim
