#include "sim/patterns/timesteps.h"

#include "base/checked.h"
#include "sim/pattern.h"

namespace concilio::sim {
namespace {

constexpr int64_t most_point_bytes = int64_t{1} << 30;

}  // namespace

Result<Timesteps> timesteps_of(const Parameters& parameters, const Size& size) {
  Timesteps series{size.ranks};
  if (!parameters.empty()) series.steps = piece_bytes(parameters[0]);
  if (parameters.size() > 1) {
    const auto [elements, bytes] = piece_bytes_pair(parameters[1]);
    series.elements = elements;
    series.element_bytes = bytes;
  }
  if (parameters.size() > 2 || series.steps == 0 || series.elements == 0 || series.element_bytes == 0)
    return malformed(std::string("STEPS, ELEMENTS and BYTES are each ") + piece_bytes_rule);
  if (series.elements > most_point_bytes / series.element_bytes ||
      series.steps > most_point_bytes / series.step_bytes())
    return malformed("a data point has more than 1 GiB");
  const auto wanted = checked_multiply(size.bytes_per_rank, size.ranks);
  series.points = std::max<int64_t>(wanted.value_or(INT64_MAX) / series.step_bytes(), 1);
  return series;
}

Result<Pattern> timesteps(const Parameters& parameters, const Size& size) {
  const Result<Timesteps> made = timesteps_of(parameters, size);
  if (!made) return made.error();
  if (!checked_multiply(made->points, made->point_bytes()))
    return malformed("the file is larger than files can be");
  return Pattern{static_cast<int>(made->steps), "", [all = *made](int rank, int call) {
                   const int64_t own = all.own_elements(rank);
                   if (own == 0) return Request{};
                   const Result<pattern::NestRef> in_point =
                       series(all.element_bytes, own, all.ranks * all.element_bytes);
                   if (!in_point) return Request{};
                   const Result<pattern::NestRef> points =
                       pattern::Nest::repeat(*in_point, all.points, all.point_bytes());
                   return points ? Request{whole(*points, call * all.step_bytes() + rank * all.element_bytes),
                                           pattern::Access::contiguous(0), all.call_bytes(rank)}
                                 : Request{};
                 }};
}

}  // namespace concilio::sim
