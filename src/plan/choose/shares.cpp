#include "plan/choose/shares.h"

#include <algorithm>

#include "plan/facts/spans.h"

namespace concilio::plan {
namespace {

// On more nodes than this the shares of all windows would be too many.
constexpr size_t most_nodes_one_by_one = 32;
// A window of more stretches than this counts as one that reaches from the first to the last.
constexpr size_t most_stretches = 16;

}  // namespace

Shares::Shares(const Facts& facts, const Layout& layout)
    : facts_(facts), layout_(layout), others_together_(facts.nodes.size() > most_nodes_one_by_one) {
  std::vector<SpanIndex::Span> spans;
  for (size_t node = 0; node < facts.nodes.size(); ++node) {
    const NodeFacts& its = facts.nodes[node];
    first_of_.push_back(stretches_.size());
    const auto length = static_cast<double>(total_bytes(its.spans));
    for (const pattern::Interval& span : its.spans) {
      if (!others_together_) spans.push_back({span, stretches_.size()});
      stretches_.push_back({span, static_cast<int>(node), static_cast<double>(its.bytes) / length});
    }
  }
  first_of_.push_back(stretches_.size());
  index_ = SpanIndex(std::move(spans));
  bytes_of_.resize(facts.nodes.size());
}

void Shares::add(const Realm& realm, pattern::Interval part) {
  const auto take = [&](size_t i) {
    const Stretch& stretch = stretches_[i];
    if (!is_in_group(stretch.node, realm.group)) return;
    const int64_t length = std::min(part.end, stretch.file.end) - std::max(part.begin, stretch.file.begin);
    if (length <= 0) return;
    double& bytes = bytes_of_[static_cast<size_t>(stretch.node)];
    if (bytes == 0 && stretch.node != realm.node) found_.push_back(stretch.node);
    bytes += static_cast<double>(length) * stretch.density;
  };
  if (!others_together_) return index_.for_each_in(part, take);
  const auto own = static_cast<size_t>(realm.node);
  for (size_t i = first_of_[own]; i < first_of_[own + 1]; ++i) take(i);
}

void Shares::of_window(const Realm& realm, std::span<const pattern::Interval> parts,
                       std::vector<Share>& into) {
  into.clear();
  const auto bytes = static_cast<double>(total_bytes(parts));
  const Group& group = layout_.groups[static_cast<size_t>(realm.group)];
  const auto nodes = static_cast<double>(std::max<size_t>(1, group.nodes.size()));
  double& own = bytes_of_[static_cast<size_t>(realm.node)];
  if (stretches_.empty()) {
    into.push_back({realm.node, bytes / nodes});
    if (others_together_ && nodes > 1) into.push_back({all_others, bytes - bytes / nodes});
    for (size_t i = 0; i < group.nodes.size() && !others_together_; ++i) {
      if (group.nodes[i] != realm.node) into.push_back({group.nodes[i], bytes / nodes});
    }
    return;
  }
  if (parts.size() > most_stretches) {
    add(realm, {parts.front().begin, parts.back().end});
  } else {
    for (const pattern::Interval& part : parts) add(realm, part);
  }
  double sum = own;
  for (const int node : found_) sum += bytes_of_[static_cast<size_t>(node)];
  if (others_together_) {
    into.push_back({realm.node, nodes > 1 ? std::min(own, bytes) : bytes});
    if (nodes > 1) into.push_back({all_others, bytes - into.front().bytes});
  } else if (sum <= 0) {
    into.push_back({realm.node, bytes});
  } else {
    std::sort(found_.begin(), found_.end());
    into.push_back({realm.node, bytes * own / sum});
    for (const int node : found_) into.push_back({node, bytes * bytes_of_[static_cast<size_t>(node)] / sum});
  }
  own = 0;
  for (const int node : found_) bytes_of_[static_cast<size_t>(node)] = 0;
  found_.clear();
}

}  // namespace concilio::plan
