#include "plan/layout/layout.h"

#include <algorithm>

#include "base/checked.h"
#include "plan/layout/windows.h"

namespace concilio::plan {
namespace {

// Adds the file intervals of data [begin, end) of a realm's bytes.
void add_pieces(const pattern::Access& owned, pattern::Interval data, std::vector<pattern::Interval>& out) {
  if (owned.is_contiguous()) {
    out.push_back({owned.offset_of(data.begin), owned.offset_of(data.begin) + data.length()});
    return;
  }
  pattern::Cursor cursor(owned, data.begin);
  while (cursor.position() < data.end) {
    const pattern::Chunk chunk = cursor.next(data.end - cursor.position());
    for (int64_t i = 0; i < chunk.count; ++i) {
      const pattern::Interval piece{chunk.offset(i), chunk.offset(i) + chunk.length};
      if (!out.empty() && out.back().end == piece.begin) {
        out.back().end = piece.end;
      } else {
        out.push_back(piece);
      }
    }
  }
}

}  // namespace

void count_rounds(Layout& layout) {
  layout.rounds = 0;
  for (Group& group : layout.groups) {
    group.rounds = 0;
    for (int i = group.first_realm; i < group.end_realm; ++i)
      group.rounds = std::max(group.rounds, rounds_of(layout.realms[static_cast<size_t>(i)]));
    layout.rounds = std::max(layout.rounds, group.rounds);
  }
}

bool may_move(const Layout& layout) {
  return !layout.fixed && std::all_of(layout.realms.begin(), layout.realms.end(), [](const Realm& realm) {
    return realm.owned.is_contiguous() && realm.owned.displacement() == 0;
  });
}

bool stays_aligned(const Layout& layout, int64_t shift_bytes) {
  if (shift_bytes == 0) return true;
  if (!may_move(layout)) return false;
  return std::all_of(layout.realms.begin(), layout.realms.end(),
                     [&](const Realm& realm) { return shift_bytes % realm.alignment == 0; });
}

void move(Layout& layout, int64_t shift_bytes) {
  const auto moved = [&](std::vector<pattern::Interval>& intervals) {
    for (pattern::Interval& interval : intervals) {
      interval.begin += shift_bytes;
      interval.end += shift_bytes;
    }
  };
  for (Group& group : layout.groups) moved(group.spans);
  for (Realm& realm : layout.realms) moved(realm.positions);
  if (layout.granule.granule > 0) {
    const int64_t anchor = layout.granule.anchor + shift_bytes;
    layout.granule.anchor = anchor - align_down(anchor, layout.granule.granule);
  }
}

std::vector<pattern::Interval> window(const Realm& realm, int64_t round) {
  std::vector<pattern::Interval> parts;
  window(realm, round, parts);
  return parts;
}

namespace {

// The data of a round's window, counted along the realm's positions.
pattern::Interval data_of_window(const Realm& realm, int64_t round) {
  const int64_t windows = rounds_of(realm);
  if (round < 0 || round >= windows) return {0, 0};
  const int64_t number = round < windows - realm.start ? realm.start + round : realm.start + round - windows;
  const int64_t pad = realm.pad_bytes;
  const int64_t begin = std::max<int64_t>(0, number * realm.window_bytes - pad);
  const int64_t most = number == 0 ? realm.window_bytes - pad : realm.window_bytes;
  return {begin, begin + std::min(realm.bytes - begin, most)};
}

}  // namespace

int64_t window_length(const Realm& realm, int64_t round) {
  return data_of_window(realm, round).length();
}

void window(const Realm& realm, int64_t round, std::vector<pattern::Interval>& into) {
  into.clear();
  const pattern::Interval data = data_of_window(realm, round);
  int64_t left = data.length(), skip = data.begin;
  for (const pattern::Interval& stretch : realm.positions) {
    if (left == 0) break;
    if (skip >= stretch.length()) {
      skip -= stretch.length();
      continue;
    }
    const int64_t taken = std::min(left, stretch.length() - skip);
    add_pieces(realm.owned, {stretch.begin + skip, stretch.begin + skip + taken}, into);
    left -= taken;
    skip = 0;
  }
}

}  // namespace concilio::plan
