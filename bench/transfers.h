// Patterns that are a row of contiguous transfers, each a call of its own.
#pragma once

#include "pattern.h"

namespace concilio::bench {

// A repetition makes no more calls than these.
inline constexpr int64_t most_transfers = 4096;

struct Transfers {
  int ranks = 1;
  int64_t bytes = 0;  // of a transfer
  int64_t count = 0;  // of a rank
  std::string note;
};

// `offset(rank, call)`: of a transfer in the file.
std::unique_ptr<Pattern> make_transfers(const Transfers& transfers,
                                        std::function<int64_t(int rank, int64_t call)> offset);

// As many transfers of `bytes` as the size asks for, at least one and no more than allowed: then it says so.
Transfers transfers_of(int64_t bytes, const Size& size);

}  // namespace concilio::bench
