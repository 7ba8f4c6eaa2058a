// Rows of contiguous transfers, each a call of its own: what several patterns are.
#pragma once

#include "sim/pattern.h"

namespace concilio::sim {

// As many transfers of `bytes` as the size asks for, at least one; no more than most_transfers, and then the
// pattern says so.
struct Transfers {
  int64_t bytes = 0, count = 0;
  std::string note;
};
inline constexpr int64_t most_transfers = 4096;
Transfers transfers_of(int64_t bytes, const Size& size);

// `offset(rank, call)`: of a transfer in the file.
Pattern in_transfers(const Transfers& transfers, std::function<int64_t(int rank, int64_t call)> offset);

}  // namespace concilio::sim
