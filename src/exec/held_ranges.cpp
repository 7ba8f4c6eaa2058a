#include "exec/held_ranges.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace concilio {
namespace {

bool overlap(Interval a, Interval b) {
  return a.begin < b.end && b.begin < a.end;
}

}  // namespace

bool HeldRanges::free(Place place) const {
  return std::none_of(holders_.begin(), std::list<Holder>::const_iterator(place), [&](const Holder& earlier) {
    return overlap(earlier.range, place->range) &&
           (place->mode == LockMode::exclusive || earlier.mode == LockMode::exclusive);
  });
}

HeldRanges::Place HeldRanges::enter(Interval range, LockMode mode, bool on_file) {
  std::unique_lock lock(mutex_);
  const Place place = holders_.insert(holders_.end(), {range, mode, on_file});
  left_.wait(lock, [&] { return free(place); });
  place->granted = true;
  return place;
}

int64_t HeldRanges::waiting() const {
  std::lock_guard lock(mutex_);
  return std::count_if(holders_.begin(), holders_.end(), [](const Holder& one) { return !one.granted; });
}

void HeldRanges::leave(Place place, const std::function<void(Interval)>& unlock) {
  std::lock_guard lock(mutex_);
  const Holder gone = *place;
  holders_.erase(place);
  left_.notify_all();
  if (!gone.on_file) return;
  std::vector<Interval> free{gone.range};
  for (const Holder& other : holders_) {
    // Who has not been granted its range has locked nothing yet.
    if (!other.on_file || !other.granted) continue;
    std::vector<Interval> rest;
    for (Interval part : free) {
      const Interval before{part.begin, std::min(part.end, other.range.begin)};
      const Interval behind{std::max(part.begin, other.range.end), part.end};
      if (!before.empty()) rest.push_back(before);
      if (!behind.empty()) rest.push_back(behind);
    }
    free = std::move(rest);
  }
  for (Interval part : free) unlock(part);
}

}  // namespace concilio
