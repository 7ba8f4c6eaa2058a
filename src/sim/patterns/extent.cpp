// Of every BYTES of the file, a percentage holds data. Ranks have these pieces in turn.
#include <algorithm>

#include "sim/patterns/turns.h"

namespace concilio::sim {

Result<Pattern> extent(const Parameters& parameters, const Size& size) {
  const auto [bytes, percent] = parameters.size() == 1 ? piece_bytes_pair(parameters[0]) : PieceBytesPair{};
  if (bytes == 0 || percent == 0 || percent > 100)
    return malformed(std::string("BYTES is ") + piece_bytes_rule +
                     ", and PERCENT a whole number from 1 to 100");
  const int64_t region_bytes = std::max<int64_t>(bytes * percent / 100, 1);
  return in_turns(size.ranks,
                  {region_bytes, bytes, region_bytes, std::max<int64_t>(size.bytes_per_rank / bytes, 1)});
}

}  // namespace concilio::sim
