#include "plan/choose/at_home.h"

#include <algorithm>

#include "plan/facts/spans.h"

namespace concilio::plan {

AtHome::AtHome(const Facts& facts, const Layout& layout) : facts_(facts), layout_(layout) {
  double bytes = 0;
  for (const Realm& realm : layout.realms) bytes += static_cast<double>(realm.bytes);
  if (bytes > 0) filled_ = std::min(1.0, static_cast<double>(facts.digest.bytes) / bytes);
}

double AtHome::part(const Realm& realm) const {
  const Group& group = layout_.groups[static_cast<size_t>(realm.group)];
  if (!realm.owned.is_contiguous() || group.data_bytes <= 0 || realm.bytes <= 0 || filled_ <= 0)
    return 1 / static_cast<double>(std::max<size_t>(1, group.nodes.size()));
  const NodeFacts& node = facts_.nodes[static_cast<size_t>(realm.node)];
  int64_t in_its_spans = 0;
  for (const pattern::Interval& stretch : realm.positions) in_its_spans += bytes_within(stretch, node.spans);
  if (in_its_spans == 0) return 0;
  const double its_density = static_cast<double>(node.bytes) / static_cast<double>(total_bytes(node.spans));
  const double asked_for = filled_ * static_cast<double>(realm.bytes);
  return std::min(1.0, static_cast<double>(in_its_spans) * its_density / asked_for);
}

double AtHome::part(const Group& group) const {
  double bytes = 0, at_home = 0;
  for (int i = group.first_realm; i < group.end_realm; ++i) {
    const Realm& realm = layout_.realms[static_cast<size_t>(i)];
    bytes += static_cast<double>(realm.bytes);
    at_home += static_cast<double>(realm.bytes) * part(realm);
  }
  return bytes > 0 ? at_home / bytes : 0;
}

double AtHome::bytes_of_others(const Realm& realm) const {
  if (layout_.groups[static_cast<size_t>(realm.group)].nodes.size() < 2) return 0;
  return filled_ * static_cast<double>(realm.bytes) * (1 - part(realm));
}

}  // namespace concilio::plan
