#include "exec/two_phase/images.h"

#include <algorithm>
#include <utility>

#include "plan/layout/footprint.h"

namespace concilio {

Images::Images(const Plan& plan, int node) : plan_(plan) {
  const int index = plan.group_of_node[static_cast<size_t>(node)];
  if (index < 0) return;
  const Group& group = plan.groups[static_cast<size_t>(index)];
  first_realm_ = static_cast<size_t>(group.first_realm);
  headers_bytes_ =
      int64_t{group.end_realm - group.first_realm} * plan.slots * static_cast<int64_t>(sizeof(ImageHeader));
  bytes_ = headers_bytes_;
  Layout layout{plan.slots};
  int64_t parts = 0;
  for (int i = group.first_realm; i < group.end_realm; ++i) {
    const Realm& realm = plan.realms[static_cast<size_t>(i)];
    begins_.push_back(bytes_);
    bytes_ += plan.slots * realm.image_bytes;
    layout.push_back(realm.image_bytes);
    layout.push_back(realm.map_bytes);
    parts = std::max(parts, concilio::most_parts(realm, realm.window_bytes));
  }
  layout_ = std::make_shared<const Layout>(std::move(layout));
  intervals_.reserve(static_cast<size_t>(parts));
  parts_.reserve(static_cast<size_t>(parts));
}

std::span<WindowPart> Images::parts(size_t realm, int64_t round) {
  std::byte* window_data = window(realm, round);
  std::uint8_t* map_data = map(realm, round);
  concilio::window(plan_.realms[realm], round, intervals_);
  parts_.clear();
  for (const Interval file : intervals_) {
    parts_.push_back({file, window_data, CoverageMap(map_data, file, plan_.granule)});
    window_data += file.length();
    map_data += CoverageMap::bytes_needed(file.length(), plan_.granule.granule);
  }
  return parts_;
}

}  // namespace concilio
