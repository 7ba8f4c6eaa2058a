// Blocks of a fixed size, which ranks have in turn.
#include <algorithm>

#include "sim/patterns/turns.h"

namespace concilio::sim {

Result<Pattern> interleaved(const Parameters& parameters, const Size& size) {
  const int64_t bytes = parameters.size() == 1 ? piece_bytes(parameters[0]) : 0;
  if (bytes == 0) return malformed(std::string("B is ") + piece_bytes_rule);
  return in_turns(size.ranks, {bytes, bytes, bytes, std::max<int64_t>(size.bytes_per_rank / bytes, 1)});
}

}  // namespace concilio::sim
