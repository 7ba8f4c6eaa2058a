#include "sim/patterns/contiguous.h"

#include <algorithm>

#include "sim/pattern.h"

namespace concilio::sim {

Result<Contiguous> contiguous_of(const Parameters& parameters, const Size& size) {
  if (!parameters.empty()) return malformed("takes no parameter");
  return Contiguous{std::max<int64_t>(size.bytes_per_rank, 1)};
}

Result<Pattern> contiguous(const Parameters& parameters, const Size& size) {
  const Result<Contiguous> parts = contiguous_of(parameters, size);
  if (!parts) return parts.error();
  const int64_t bytes = parts->bytes;
  const Result<Alike> alike = Alike::of({size.ranks, bytes, bytes, bytes, 1});
  if (!alike) return alike.error();
  return Pattern{
      1, "",
      [bytes](int rank, int) {
        return Request{pattern::Access::contiguous(rank * bytes), pattern::Access::contiguous(0), bytes};
      },
      *alike};
}

}  // namespace concilio::sim
