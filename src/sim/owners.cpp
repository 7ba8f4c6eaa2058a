#include "sim/owners.h"

#include <algorithm>

namespace concilio::sim {
namespace {

// How many of the realm's bytes that the call may touch lie before `offset` in the file.
int64_t owned_before(const plan::Realm& realm, int64_t offset) {
  const int64_t position = realm.owned.data_before(offset);
  int64_t bytes = 0;
  for (const pattern::Interval& part : realm.positions) {
    if (part.begin >= position) break;
    bytes += std::min(part.end, position) - part.begin;
  }
  return bytes;
}

}  // namespace

Owners::Owners(const plan::Plan& plan, const Raster& raster) : shares_(static_cast<size_t>(raster.columns)) {
  most_.assign(plan.groups.size(), std::vector<int>(shares_.size(), -1));
  std::vector<std::vector<double>> best(plan.groups.size(), std::vector<double>(shares_.size()));
  for (size_t i = 0; i < plan.realms.size(); ++i) {
    const plan::Realm& realm = plan.realms[i];
    const auto group = static_cast<size_t>(realm.group);
    int column = 0;
    // Most realms are a stretch of few columns, so only these are looked at.
    if (realm.owned.is_contiguous()) {
      const __int128 into = realm.owned.offset_of(realm.positions.front().begin) - raster.range.begin;
      const __int128 at = into * raster.columns / std::max<int64_t>(1, raster.range.length());
      column = static_cast<int>(std::clamp<__int128>(at - 1, 0, raster.columns - 1));
    }
    int64_t before = owned_before(realm, raster.border(column));
    for (; column < raster.columns && before < realm.bytes; ++column) {
      const int64_t upto = owned_before(realm, raster.border(column + 1));
      const double part =
          static_cast<double>(upto - before) /
          static_cast<double>(std::max<int64_t>(1, raster.border(column + 1) - raster.border(column)));
      before = upto;
      if (part <= 0) continue;
      const auto at = static_cast<size_t>(column);
      shares_[at].push_back({static_cast<int>(i), part});
      if (part > best[group][at]) {
        best[group][at] = part;
        most_[group][at] = static_cast<int>(i);
      }
    }
  }
}

int Owners::most_of(int group, int column) const {
  return group < 0 ? -1 : most_[static_cast<size_t>(group)][static_cast<size_t>(column)];
}

}  // namespace concilio::sim
