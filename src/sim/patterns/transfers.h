// Series of contiguous transfers, each of which is a call of its own. Several patterns consist of these.
#pragma once

#include <functional>

#include "sim/patterns/parameters.h"

namespace concilio::sim {

// A repetition makes no more calls than these.
inline constexpr int64_t most_transfers = 4096;

// As many transfers of `bytes` bytes as the size asks for, but at least one and at most most_transfers. If
// there are fewer than asked for, `note` says so.
struct Transfers {
  int64_t bytes = 0, count = 0;
  std::string note;
  std::function<int64_t(int rank, int64_t call)> offset;  // offset of a transfer in the file
};

// IOR: each rank's block is one contiguous part of a segment. A rank moves its blocks by transfers in
// ascending or in random order.
inline constexpr PatternWords ior_words = {
    "ior", ":TRANSFER[:BLOCK][:random]",
    "IOR: a call for each TRANSFER bytes of a rank's blocks of BLOCK (all its bytes), in order or at random; "
    "at most 4096 calls"};
Result<Transfers> ior_of(const Parameters& parameters, const Size& size);
// PVFS's mpi-io-test: in each call every rank moves one block, and the blocks of the ranks are adjacent.
inline constexpr PatternWords mpiiotest_words = {
    "mpiiotest", ":BLOCK",
    "mpi-io-test: calls in which the ranks move BLOCK bytes each, side by side; at most 4096 calls"};
Result<Transfers> mpiiotest_of(const Parameters& parameters, const Size& size);

}  // namespace concilio::sim
