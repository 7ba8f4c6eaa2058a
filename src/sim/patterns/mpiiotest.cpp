// PVFS's mpi-io-test: in each call every rank moves one block, and the blocks of the ranks are adjacent.
#include "sim/patterns/transfers.h"

namespace concilio::sim {

Result<Pattern> mpiiotest(const Parameters& parameters, const Size& size) {
  const int64_t bytes = parameters.size() == 1 ? piece_bytes(parameters[0]) : 0;
  if (bytes == 0) return malformed(std::string("BLOCK is ") + piece_bytes_rule);
  return in_transfers(transfers_of(bytes, size), [=, ranks = size.ranks](int rank, int64_t call) {
    return (call * ranks + rank) * bytes;
  });
}

}  // namespace concilio::sim
