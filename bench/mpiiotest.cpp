// PVFS's mpi-io-test: in each call every rank moves one block, and the ranks' blocks lie side by side.
#include "transfers.h"

namespace concilio::bench {

std::unique_ptr<Pattern> make_mpiiotest(const Parameters& parameters, const Size& size, std::string& error) {
  const int64_t block = parameters.size() == 1 ? parse_piece_bytes(parameters[0]) : 0;
  if (block == 0) {
    error = std::string("BLOCK is ") + piece_bytes_rule;
    return nullptr;
  }
  return make_transfers(transfers_of(block, size), [=, ranks = size.ranks](int rank, int64_t call) {
    return (call * ranks + rank) * block;
  });
}

}  // namespace concilio::bench
