// Series of contiguous transfers, each of which is a call of its own. Several patterns consist of these.
#pragma once

#include "sim/pattern.h"

namespace concilio::sim {

// As many transfers of `bytes` bytes as the size asks for, but at least one and at most most_transfers. If
// there are fewer than asked for, `note` says so.
struct Transfers {
  int64_t bytes = 0, count = 0;
  std::string note;
};
inline constexpr int64_t most_transfers = 4096;
Transfers transfers_of(int64_t bytes, const Size& size);

// `offset(rank, call)` is the offset of a transfer in the file.
Pattern in_transfers(const Transfers& transfers, std::function<int64_t(int rank, int64_t call)> offset);

}  // namespace concilio::sim
