#include "plan/two_phase.h"

#include <algorithm>
#include <bit>

#include "base/checked.h"
#include "plan/footprint.h"
#include "plan/realms.h"

namespace concilio {
namespace {

// A window that stays in cache is as fast as a larger one: measured on a 2-core machine, 1 MiB and 4 MiB
// alike.
constexpr int64_t default_window_bytes = 1 << 20;
constexpr int64_t default_images_bytes = 4 << 20;  // windows of one node
// With very many realms: shorter windows would cost more in messages than they save in cache misses.
constexpr int64_t least_default_window_bytes = 64 << 10;
constexpr int64_t least_window_bytes = 4096;
constexpr int64_t greatest_window_bytes = 512 << 20;  // a message holds an image, and an MPI count an int

int64_t automatic_window(const Shape& shape) {
  const int64_t share = default_images_bytes / std::max<int64_t>(1, shape.realms * shape.slots);
  int64_t bytes = std::clamp(share, least_default_window_bytes, default_window_bytes);
  bytes = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(bytes)));
  // Maps at a tiny granule are as large as the windows they belong to; a quarter more than the windows is
  // granted.
  const int64_t most_bytes = default_images_bytes + default_images_bytes / 4;
  while (bytes > least_default_window_bytes && footprint(shape, bytes).segment_bytes > most_bytes) bytes /= 2;
  return bytes;
}

// What would bring the largest realm into one window, in whole units of the alignment.
int64_t whole_realm_window(const Plan& plan) {
  __int128 most = 1;
  for (const Realm& realm : plan.realms) {
    const int64_t begin = realm.spans.front().begin;
    const __int128 from_border =
        static_cast<__int128>(realm.bytes) + (begin - align_down(begin, plan.alignment));
    most = std::max(most, (from_border + plan.alignment - 1) / plan.alignment * plan.alignment);
  }
  return static_cast<int64_t>(std::min<__int128>(most, greatest_window_bytes));
}

int64_t round_down(int64_t bytes, int64_t alignment) {
  if (bytes >= alignment && alignment > 1) return align_down(bytes, alignment);
  return bytes >= least_window_bytes ? align_down(bytes, least_window_bytes) : bytes;
}

int64_t largest_that_fits(const Shape& shape, int64_t most_bytes, int64_t limit_bytes) {
  int64_t fits = std::min(least_window_bytes, most_bytes), too_large = most_bytes + 1;
  while (too_large - fits > 1) {
    const int64_t middle = fits + (too_large - fits) / 2;
    (footprint(shape, middle).peak_bytes <= limit_bytes ? fits : too_large) = middle;
  }
  return fits;
}

void size_windows(const Facts& facts, const Shape& shape, int64_t limit_bytes, Plan& plan) {
  const int64_t wished = facts.wishes.window_bytes;
  int64_t bytes = wished > 0 ? wished : round_down(automatic_window(shape), plan.alignment);
  bytes = std::min({bytes, whole_realm_window(plan), greatest_window_bytes});
  if (footprint(shape, bytes).peak_bytes > limit_bytes) {
    bytes = round_down(largest_that_fits(shape, bytes, limit_bytes), plan.alignment);
  }
  const Footprint memory = footprint(shape, bytes);
  plan.window_bytes = bytes;
  plan.map_bytes = memory.map_bytes;
  plan.image_bytes = memory.image_bytes;
  plan.segment_bytes = memory.segment_bytes;
  plan.staging_bytes = memory.staging_bytes;
  plan.peak_bytes = memory.peak_bytes;
}

}  // namespace

int64_t window_pad(const Plan& plan, const Realm& realm) {
  if (plan.alignment <= 1 || plan.window_bytes % plan.alignment != 0 || realm.spans.empty()) return 0;
  const int64_t begin = realm.spans.front().begin;
  return begin - align_down(begin, plan.alignment);
}

int64_t rounds_of(const Plan& plan, const Realm& realm) {
  if (realm.bytes <= 0 || plan.window_bytes <= 0) return 0;
  // Rounded up without adding first: a realm may be nearly as long as numbers go.
  const int64_t first = plan.window_bytes - window_pad(plan, realm);
  return realm.bytes <= first ? 1 : 1 + ceil_divide(realm.bytes - first, plan.window_bytes);
}

int64_t most_rounds(const Plan& plan) {
  int64_t rounds = 0;
  for (const Realm& realm : plan.realms) rounds = std::max(rounds, rounds_of(plan, realm));
  return rounds;
}

void lay_out_two_phase(const Facts& facts, const std::vector<Interval>& spans, Plan& plan) {
  plan.granule = {std::max<int64_t>(1, facts.digest.granule), facts.digest.anchor};
  if (spans.empty()) return;
  const MemoryLimit limit = memory_limit(facts);
  plan.warning = limit.warning;
  const int64_t least_bytes = facts.wishes.window_bytes > 0
                                  ? std::min(facts.wishes.window_bytes, least_window_bytes)
                                  : least_window_bytes;
  int64_t count = wanted_aggregators(facts, total_bytes(spans));
  while (true) {
    RealmSet set = even_realms(facts, spans, count);
    plan.realms = std::move(set.realms);
    plan.alignment = set.alignment;
    if (plan.realms.empty()) return;
    const Shape shape = shape_of(facts, plan);
    size_windows(facts, shape, limit.bytes, plan);
    if (plan.peak_bytes <= limit.bytes || plan.realms.size() == 1) break;
    // Not even the smallest windows fit for so many realms.
    count = std::clamp<int64_t>(most_realms(shape, least_bytes, limit.bytes), 1, shape.realms - 1);
  }
  plan.rounds = most_rounds(plan);
}

std::vector<Interval> window(const Plan& plan, const Realm& realm, int64_t round) {
  if (round < 0 || round >= rounds_of(plan, realm)) return {};
  const int64_t pad = window_pad(plan, realm);
  // Data positions of the realm, counted along its spans.
  const int64_t begin = std::max<int64_t>(0, round * plan.window_bytes - pad);
  const int64_t length =
      std::min(realm.bytes - begin, round == 0 ? plan.window_bytes - pad : plan.window_bytes);
  std::vector<Interval> out;
  int64_t skip = begin, left = length;
  for (const Interval& span : realm.spans) {
    if (left == 0) break;
    if (skip >= span.length()) {
      skip -= span.length();
      continue;
    }
    const int64_t taken = std::min(left, span.length() - skip);
    out.push_back({span.begin + skip, span.begin + skip + taken});
    left -= taken;
    skip = 0;
  }
  return out;
}

}  // namespace concilio
