// IOR: each rank's block is one contiguous part of a segment, moved by transfers in order, or in random
// order.
#include <numeric>

#include "transfers.h"

namespace concilio::bench {

namespace {

// The same of every run: Fisher and Yates by a linear congruence.
std::vector<int64_t> random_order(int64_t count, int rank) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  auto state = static_cast<uint64_t>(rank) + 1;
  for (int64_t i = count - 1; i > 0; --i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::swap(order[static_cast<size_t>(i)],
              order[static_cast<size_t>((state >> 33) % static_cast<uint64_t>(i + 1))]);
  }
  return order;
}

}  // namespace

std::unique_ptr<Pattern> make_ior(const Parameters& parameters, const Size& size, std::string& error) {
  Parameters numbers = parameters;
  const bool random = !numbers.empty() && numbers.back() == "random";
  if (random) numbers.pop_back();
  const int64_t transfer = numbers.empty() ? 0 : parse_piece_bytes(numbers[0]);
  const int64_t block = numbers.size() == 2 ? parse_piece_bytes(numbers[1]) : 0;
  if (transfer == 0 || numbers.size() > 2 || (numbers.size() == 2 && (block == 0 || block % transfer != 0))) {
    error = std::string("TRANSFER is ") + piece_bytes_rule + ", and BLOCK a multiple of it";
    return nullptr;
  }
  const Transfers transfers = transfers_of(transfer, size);
  // Without BLOCK there is one segment.
  const int64_t in_block = block > 0 ? block / transfer : transfers.count;
  std::vector<std::vector<int64_t>> orders;
  for (int rank = 0; random && rank < size.ranks; ++rank)
    orders.push_back(random_order(transfers.count, rank));
  return make_transfers(transfers, [=, ranks = size.ranks](int rank, int64_t call) {
    const int64_t place = random ? orders[static_cast<size_t>(rank)][static_cast<size_t>(call)] : call;
    const int64_t segment = place / in_block;
    return ((segment * ranks + rank) * in_block + place % in_block) * transfer;
  });
}

}  // namespace concilio::bench
