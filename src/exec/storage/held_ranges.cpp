#include "exec/storage/held_ranges.h"

#include <algorithm>
#include <iterator>

namespace concilio::exec {
namespace {

bool overlap(pattern::Interval a, pattern::Interval b) {
  return a.begin < b.end && b.begin < a.end;
}

}  // namespace

bool HeldRanges::free(Place place) const {
  return std::none_of(holders_.begin(), std::list<Holder>::const_iterator(place), [&](const Holder& earlier) {
    return overlap(earlier.range, place->range) &&
           (place->mode == store::LockMode::exclusive || earlier.mode == store::LockMode::exclusive);
  });
}

HeldRanges::Place HeldRanges::enter(pattern::Interval range, store::LockMode mode, bool on_file) {
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

// Unlocks the parts of the range that no holder from `other` on has locked on the file.
void HeldRanges::unlock_free(pattern::Interval range, Place other,
                             FunctionRef<void(pattern::Interval)> unlock) {
  for (; other != holders_.end() && !range.empty(); ++other) {
    // A thread that has not been granted its range has locked nothing yet.
    if (!other->on_file || !other->granted) continue;
    unlock_free({range.begin, std::min(range.end, other->range.begin)}, std::next(other), unlock);
    range.begin = std::max(range.begin, other->range.end);
  }
  if (!range.empty()) unlock(range);
}

void HeldRanges::leave(Place place, FunctionRef<void(pattern::Interval)> unlock) {
  std::lock_guard lock(mutex_);
  const Holder gone = *place;
  holders_.erase(place);
  left_.notify_all();
  if (gone.on_file) unlock_free(gone.range, holders_.begin(), unlock);
}

}  // namespace concilio::exec
