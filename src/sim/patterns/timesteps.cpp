// Data points of many variables; the file has all time steps of a point together. Each call writes one time
// step: the elements of that step, of every data point, which ranks have in turn.
#include <algorithm>

#include "base/checked.h"
#include "sim/pattern.h"

namespace concilio::sim {
namespace {

constexpr int64_t most_point_bytes = int64_t{1} << 30;

}  // namespace

Result<Pattern> timesteps(const Parameters& parameters, const Size& size) {
  const int64_t steps = parameters.empty() ? 32 : piece_bytes(parameters[0]);
  const auto [elements, bytes] =
      parameters.size() > 1 ? piece_bytes_pair(parameters[1]) : PieceBytesPair{100, 32};
  if (parameters.size() > 2 || steps == 0 || elements == 0 || bytes == 0)
    return malformed(std::string("STEPS, ELEMENTS and BYTES are each ") + piece_bytes_rule);
  if (elements > most_point_bytes / bytes || steps > most_point_bytes / (elements * bytes))
    return malformed("a data point has more than 1 GiB");
  const int64_t step_bytes = elements * bytes, point_bytes = steps * step_bytes;
  const auto wanted = checked_multiply(size.bytes_per_rank, size.ranks);
  const int64_t points = std::max<int64_t>(wanted.value_or(INT64_MAX) / step_bytes, 1);
  if (!checked_multiply(points, point_bytes)) return malformed("the file is larger than files can be");
  const int64_t ranks = size.ranks;
  return Pattern{static_cast<int>(steps), "", [=, bytes = bytes, elements = elements](int rank, int call) {
                   const int64_t own = std::max<int64_t>(elements - rank + ranks - 1, 0) / ranks;
                   if (own == 0) return Request{};
                   const Result<NestRef> in_point = series(bytes, own, ranks * bytes);
                   if (!in_point) return Request{};
                   const Result<NestRef> all = Nest::repeat(*in_point, points, point_bytes);
                   return all ? Request{whole(*all, call * step_bytes + rank * bytes), Access::contiguous(0),
                                        points * own * bytes}
                              : Request{};
                 }};
}

}  // namespace concilio::sim
