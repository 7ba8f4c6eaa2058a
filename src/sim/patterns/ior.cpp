// IOR: each rank's block is one contiguous part of a segment. A rank moves its blocks by transfers in
// ascending or in random order.
#include <numeric>

#include "sim/patterns/transfers.h"

namespace concilio::sim {
namespace {

// The shuffle of Fisher and Yates with a linear congruential generator. As in the benchmark program, the
// order is the same every time.
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

Result<Pattern> ior(const Parameters& parameters, const Size& size) {
  Parameters numbers = parameters;
  const bool random = !numbers.empty() && numbers.back() == "random";
  if (random) numbers.pop_back();
  const int64_t bytes = numbers.empty() ? 0 : piece_bytes(numbers[0]);
  const int64_t block = numbers.size() == 2 ? piece_bytes(numbers[1]) : 0;
  if (bytes == 0 || numbers.size() > 2 || (numbers.size() == 2 && (block == 0 || block % bytes != 0)))
    return malformed(std::string("TRANSFER is ") + piece_bytes_rule + ", and BLOCK a multiple of it");
  const Transfers transfers = transfers_of(bytes, size);
  // Without BLOCK there is one segment.
  const int64_t in_block = block > 0 ? block / bytes : transfers.count;
  return in_transfers(transfers, [=, ranks = size.ranks](int rank, int64_t call) {
    const int64_t place = random ? random_order(transfers.count, rank)[static_cast<size_t>(call)] : call;
    return ((place / in_block * ranks + rank) * in_block + place % in_block) * bytes;
  });
}

}  // namespace concilio::sim
