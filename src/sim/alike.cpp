#include "sim/alike.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "sim/pattern.h"

namespace concilio::sim {
namespace {

plan::Digest shifted(plan::Digest digest, int64_t bytes) {
  digest.first += bytes;
  digest.end += bytes;
  digest.anchor += bytes;
  return digest;
}

}  // namespace

Result<Alike> Alike::of(const Turns& turns) {
  const Error too_large = malformed("the file is larger than files can be");
  const auto round_bytes = checked_multiply(turns.ranks, turns.pitch_bytes);
  if (!round_bytes || !checked_multiply(*round_bytes, turns.pieces)) return too_large;
  Alike alike(turns);
  // The nests of fewer ranks are parts of this one, so they can be made too.
  if (!alike.nest_of(turns.ranks)) return too_large;
  return alike;
}

Result<pattern::NestRef> Alike::nest_of(int64_t count) const {
  Result<pattern::NestRef> side_by_side = series(turns_.bytes, count, turns_.pitch_bytes);
  if (!side_by_side) return side_by_side;
  return pattern::Nest::repeat(*side_by_side, turns_.pieces, turns_.round_bytes());
}

pattern::Access Alike::together(int64_t first, int64_t count) const {
  const pattern::NestRef nest = *nest_of(count);
  return {nest, first * turns_.pitch_bytes, nest->upper(), 1};
}

int64_t Alike::data_before(int64_t first, int64_t count, int64_t offset) const {
  const auto& [ranks, bytes, pitch, memory_pitch, pieces] = turns_;
  const int64_t rounds = offset / turns_.round_bytes();
  if (rounds >= pieces) return pieces * count * bytes;
  const int64_t within =
      std::clamp<int64_t>(offset - rounds * turns_.round_bytes() - first * pitch, 0, count * pitch);
  return (rounds * count + within / pitch) * bytes + std::min(within % pitch, bytes);
}

// Combines 1, 2, 4, ... ranks, and of these numbers those that make up the count.
plan::Digest Alike::digest_of_all(const plan::Digest& of_first, int64_t count) const {
  plan::Digest all, power = of_first;
  int64_t combined = 0;
  for (int64_t ranks = 1;; ranks *= 2) {
    if (count & ranks) {
      const plan::Digest next = shifted(power, combined * turns_.pitch_bytes);
      all = combined == 0 ? next : combine(all, next);
      combined += ranks;
    }
    if (combined == count) return all;
    power = combine(power, shifted(power, ranks * turns_.pitch_bytes));
  }
}

}  // namespace concilio::sim
