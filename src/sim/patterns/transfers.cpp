#include "sim/patterns/transfers.h"

#include <fmt/format.h>

#include <algorithm>

namespace concilio::sim {

Transfers transfers_of(int64_t bytes, const Size& size) {
  const int64_t wanted = std::max<int64_t>(size.bytes_per_rank / bytes, 1);
  Transfers transfers{bytes, std::min(wanted, most_transfers), {}};
  if (wanted > most_transfers) {
    transfers.note = fmt::format("{} calls, {} of {} bytes a rank", most_transfers, most_transfers * bytes,
                                 size.bytes_per_rank);
  }
  return transfers;
}

Pattern in_transfers(const Transfers& transfers, std::function<int64_t(int rank, int64_t call)> offset) {
  return {static_cast<int>(transfers.count), transfers.note,
          [bytes = transfers.bytes, offset = std::move(offset)](int rank, int call) {
            return Request{Access::contiguous(offset(rank, call)), Access::contiguous(0), bytes};
          }};
}

}  // namespace concilio::sim
