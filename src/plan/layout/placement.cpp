#include "plan/layout/placement.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "plan/facts/spans.h"
#include "plan/layout/exchange.h"

namespace concilio::plan {
namespace {

// A few cores use up one node's memory bandwidth.
constexpr int64_t most_aggregators_of_only_node = 4;

std::vector<Aggregator> by_memory(Hosts& hosts, std::span<const std::vector<pattern::Interval>> realms) {
  std::vector<Aggregator> out;
  for (const std::vector<pattern::Interval>& bytes : realms) {
    std::optional<Aggregator> found = hosts.with_most_memory(bytes);
    if (!found) found = hosts.best_of_all(bytes);
    if (!found) break;
    out.push_back(*found);
  }
  return out;
}

// Places `count` aggregators on the hosts that `index_of(i)` names, in turn; neighbouring realms lie on one
// node.
template <typename IndexOf>
std::vector<Aggregator> in_turns(Hosts& hosts, size_t count, IndexOf&& index_of) {
  std::vector<Aggregator> out;
  for (bool more = true; more && out.size() < count;) {
    more = false;
    for (size_t i = 0; i < hosts.size() && out.size() < count; ++i) {
      if (const std::optional<Aggregator> one = hosts.on(index_of(i))) {
        out.push_back(*one);
        more = true;
      }
    }
  }
  std::stable_sort(out.begin(), out.end(), [](Aggregator a, Aggregator b) { return a.node < b.node; });
  return out;
}

std::vector<Aggregator> on_first(Hosts& hosts, std::span<const std::vector<pattern::Interval>> realms) {
  return in_turns(hosts, realms.size(), [](size_t i) { return i; });
}

std::vector<Aggregator> spread_out(Hosts& hosts, std::span<const std::vector<pattern::Interval>> realms) {
  // The hosts in the order 0, s, 2s, ..., then 1, s + 1, ...: the first few of them are evenly spaced.
  const size_t steps = std::max<size_t>(1, std::min(realms.size(), hosts.size()));
  std::vector<size_t> order;
  std::vector<bool> named(hosts.size());
  for (size_t i = 0; i < steps; ++i) {
    const size_t host = i * hosts.size() / steps;
    named[host] = true;
    order.push_back(host);
  }
  for (size_t i = 0; i < hosts.size(); ++i) {
    if (!named[i]) order.push_back(i);
  }
  return in_turns(hosts, realms.size(), [&](size_t i) { return order[i]; });
}

constexpr std::array<PlacementRow, 3> placement_table = {{
    {Placement::memory, "memory", "the host with most available memory among those with data in the realm",
     true, by_memory},
    {Placement::spread, "spread", "hosts as far apart as they go", false, spread_out},
    {Placement::first, "first", "the first hosts", false, on_first},
}};

}  // namespace

std::span<const PlacementRow> placement_rows() {
  return placement_table;
}

const PlacementRow& placement_row(Placement placement) {
  return placement_table[static_cast<size_t>(placement)];
}

int64_t aggregators_per_node(const Facts& facts, const NodeFacts& node, size_t nodes) {
  const int64_t candidates = static_cast<int64_t>(node.candidates.size());
  if (facts.wishes.aggregators_per_node > 0) return std::min(candidates, facts.wishes.aggregators_per_node);
  if (facts.wishes.aggregators > 0) return candidates;
  if (nodes > 1) {
    // One aggregator has the node's link for itself. More gain something only where that was measured, and
    // where a node has memory for its own aggregators' windows alone and not for images of all windows.
    const int64_t measured = facts.storage.aggregators_per_node;
    const int64_t more = std::max(measured, facts.trial.aggregators_per_node);
    const bool may = more > 1 && exchange_of(facts) == ExchangeStrategy::descriptions;
    return std::min(candidates, may ? more : 1);
  }
  if (facts.trial.aggregators_per_node > 0) return std::min(candidates, facts.trial.aggregators_per_node);
  const int64_t busy_cores = std::min(node.ranks, std::max<int64_t>(1, facts.cores_per_node));
  const int64_t measured = facts.storage.aggregators_per_node;
  const int64_t most = measured > 0 ? measured : most_aggregators_of_only_node;
  return std::min({candidates, std::max<int64_t>(1, busy_cores), most});
}

int64_t least_memory(const Facts& facts) {
  if (facts.wishes.memory_min_bytes > 0) return facts.wishes.memory_min_bytes;
  return facts.trial.memory_min_bytes > 0 ? facts.trial.memory_min_bytes : usual_memory_min_bytes;
}

Hosts::Hosts(const Facts& facts, std::span<const int> nodes, bool all_candidates) : facts_(facts) {
  for (const int index : nodes) {
    const NodeFacts& node = facts.nodes[static_cast<size_t>(index)];
    Host host{index, {}, 0, node.spans, node.free_bytes};
    for (const int rank : node.candidates) {
      const bool named =
          std::find(host.candidates.begin(), host.candidates.end(), rank) != host.candidates.end();
      if (!named) host.candidates.push_back(rank);
    }
    const auto most = all_candidates ? host.candidates.size()
                                     : static_cast<size_t>(aggregators_per_node(facts, node, nodes.size()));
    knows_data_ = knows_data_ || !node.spans.empty();
    host.candidates.resize(std::min(host.candidates.size(), most));
    hosts_.push_back(std::move(host));
  }
  std::stable_sort(hosts_.begin(), hosts_.end(),
                   [](const Host& a, const Host& b) { return a.free_bytes > b.free_bytes; });
  anybody_fits_ = !hosts_.empty() && hosts_.front().free_bytes >= least_memory(facts);
  by_index_.resize(hosts_.size());
  std::iota(by_index_.begin(), by_index_.end(), size_t{0});
  std::sort(by_index_.begin(), by_index_.end(),
            [&](size_t a, size_t b) { return hosts_[a].node < hosts_[b].node; });
}

bool Hosts::is_full(const Host& host) const {
  return host.taken == static_cast<int64_t>(host.candidates.size()) * portions_of_each_;
}

bool Hosts::fits_one_more(const Host& host) const {
  if (!anybody_fits_) return true;
  const int64_t least = least_memory(facts_);
  return host.free_bytes / least > host.taken / portions_of_each_;
}

bool Hosts::has_data_in(const Host& host, std::span<const pattern::Interval> bytes) const {
  return !knows_data_ || intersect(host.spans, bytes);
}

int64_t Hosts::most(bool with_memory) const {
  int64_t most = 0;
  for (const Host& host : hosts_) {
    const auto candidates = static_cast<int64_t>(host.candidates.size());
    const int64_t least = least_memory(facts_);
    most += with_memory && anybody_fits_ ? std::min(candidates, host.free_bytes / least) : candidates;
  }
  return most;
}

// Of the suitable hosts with room, considers those that have taken on least, so that no host does the work of
// all, and returns the one with most memory; null if there is none.
template <typename Suits>
Hosts::Host* Hosts::richest(Suits&& suits) {
  while (first_with_room_ < hosts_.size() && is_full(hosts_[first_with_room_])) ++first_with_room_;
  Host* best = nullptr;
  for (size_t i = first_with_room_; i < hosts_.size(); ++i) {
    Host& host = hosts_[i];
    if (is_full(host) || !suits(host)) continue;
    if (!best || host.taken < best->taken) best = &host;
    // The hosts that follow have no more memory.
    if (best->taken == 0) break;
  }
  return best;
}

std::optional<Aggregator> Hosts::take_on(Host* host) {
  if (!host) return {};
  last_ = static_cast<size_t>(host - hosts_.data());
  const auto candidate = static_cast<size_t>(host->taken++ / portions_of_each_);
  return Aggregator{host->candidates[candidate], host->node};
}

std::optional<Aggregator> Hosts::with_most_memory(std::span<const pattern::Interval> bytes, bool goes_on) {
  Host* const last = last_ ? &hosts_[*last_] : nullptr;
  const bool may_go_on = last && last->taken % portions_of_each_ != 0 && has_data_in(*last, bytes);
  if (may_go_on && goes_on) return take_on(last);
  Host* const found =
      richest([&](const Host& host) { return fits_one_more(host) && has_data_in(host, bytes); });
  // Portions lie side by side rather than on a host that has some elsewhere.
  return take_on(may_go_on && found && found->taken > 0 ? last : found);
}

std::optional<Aggregator> Hosts::best_of_all(std::span<const pattern::Interval> bytes) {
  Host* const found = richest([&](const Host& host) { return has_data_in(host, bytes); });
  return take_on(found ? found : richest([](const Host&) { return true; }));
}

std::optional<Aggregator> Hosts::on(size_t i) {
  Host& host = hosts_[by_index_[i]];
  return take_on(is_full(host) ? nullptr : &host);
}

}  // namespace concilio::plan
