#include "exec/windows/images.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "plan/layout/footprint.h"

namespace concilio::exec {

Images::Images(const plan::Plan& plan, int node) : plan_(plan) {
  const int index = plan.group_of_node[static_cast<size_t>(node)];
  if (index < 0) return;
  const plan::Group& group = plan.groups[static_cast<size_t>(index)];
  first_realm_ = static_cast<size_t>(group.first_realm);
  for (int i = group.first_realm; i < group.end_realm; ++i) {
    const auto realm = static_cast<size_t>(i);
    index_of_.push_back(realms_.size());
    if (has_image(plan, plan.realms[realm], node)) realms_.push_back(realm);
  }
  const bool has_arenas = plan.exchange == plan::ExchangeStrategy::descriptions && group.nodes.size() > 1;
  if (has_arenas) arena_bytes_ = plan::arena_bytes(plan.parcel_bytes[static_cast<size_t>(node)]);
  headers_bytes_ = std::ssize(realms_) * plan::most_slots * static_cast<int64_t>(sizeof(ImageHeader));
  if (has_arenas) headers_bytes_ += arenas * static_cast<int64_t>(sizeof(ArenaHeader));
  arenas_begin_ = headers_bytes_;
  Layout layout;
  int64_t parts = 0;
  for (const size_t i : realms_) {
    const plan::Realm& realm = plan.realms[i];
    begins_.push_back(arenas_begin_);
    arenas_begin_ += realm.slots * realm.image_bytes;
    layout.push_back(realm.slots);
    layout.push_back(realm.image_bytes);
    layout.push_back(realm.map_bytes);
    parts = std::max(parts, plan::most_parts(realm, realm.window_bytes));
  }
  const int64_t buffers = plan.combined_nodes > 1 ? 2 * arenas : arenas;
  layout.push_back(buffers);
  layout.push_back(arena_bytes_);
  layout_ = std::make_shared<const Layout>(std::move(layout));
  intervals_.reserve(static_cast<size_t>(parts));
  parts_.reserve(static_cast<size_t>(parts));
}

std::span<std::byte> Images::wish(size_t realm, int64_t round) const {
  const plan::Realm& its = plan_.realms[realm];
  const int64_t bytes = plan::wish_bytes(its.map_bytes);
  return {image(realm, round) + its.image_bytes - bytes, static_cast<size_t>(bytes)};
}

void Images::clear() const {
  if (headers_bytes_ > 0) std::memset(segment_, 0, static_cast<size_t>(headers_bytes_));
  for (const size_t realm : realms_) {
    for (int64_t slot = 0; slot < plan_.realms[realm].slots; ++slot)
      std::memset(map(realm, slot), 0, map_bytes(realm));
  }
}

std::span<WindowPart> Images::parts(size_t realm, int64_t round) {
  std::byte* window_data = window(realm, round);
  std::uint8_t* map_data = map(realm, round);
  plan::window(plan_.realms[realm], round, intervals_);
  parts_.clear();
  for (const pattern::Interval file : intervals_) {
    parts_.push_back({file, window_data, pattern::CoverageMap(map_data, file, plan_.granule)});
    window_data += file.length();
    map_data += pattern::CoverageMap::bytes_needed(file.length(), plan_.granule.granule);
  }
  return parts_;
}

}  // namespace concilio::exec
