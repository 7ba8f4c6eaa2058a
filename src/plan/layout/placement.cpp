#include "plan/layout/placement.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "base/checked.h"
#include "plan/facts/spans.h"
#include "plan/layout/exchange.h"

namespace concilio::plan {
namespace {

// A few cores use up one node's memory bandwidth.
constexpr int64_t most_aggregators_of_only_node = 4;
// So many hosts are asked one after another whether they have data somewhere, before an index is.
constexpr size_t most_asked = 64;

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

bool one_writes_for_all(const Facts& facts) {
  const Digest& digest = facts.digest;
  const bool without_holes = digest.bytes >= digest.end - digest.first;
  return facts.operation == Operation::write && without_holes && facts.nodes.size() == 1 &&
         facts.storage.kind == StorageFacts::Kind::memory;
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
  if (one_writes_for_all(facts)) return std::min<int64_t>(candidates, 1);
  const int64_t busy_cores = std::min(node.ranks, std::max<int64_t>(1, facts.cores_per_node));
  const int64_t measured = facts.storage.aggregators_per_node;
  const int64_t most = measured > 0 ? measured : most_aggregators_of_only_node;
  return std::min({candidates, std::max<int64_t>(1, busy_cores), most});
}

int64_t least_memory(const Facts& facts) {
  if (facts.wishes.memory_min_bytes > 0) return facts.wishes.memory_min_bytes;
  return facts.trial.memory_min_bytes > 0 ? facts.trial.memory_min_bytes : usual_memory_min(facts);
}

int64_t usual_memory_min(const Facts& facts) {
  return facts.storage.memory_min_bytes > 0 ? facts.storage.memory_min_bytes : usual_memory_min_bytes;
}

int64_t memory_for_window(const Facts& facts) {
  const int64_t window = facts.wishes.window_bytes > 0  ? facts.wishes.window_bytes
                         : facts.trial.window_bytes > 0 ? facts.trial.window_bytes
                                                        : usual_window_bytes;
  return checked_multiply(window, usual_memory_min_bytes / usual_window_bytes).value_or(INT64_MAX);
}

Hosts::Hosts(const Facts& facts, std::span<const int> nodes, bool all_candidates) : facts_(facts) {
  for (const int index : nodes) {
    const NodeFacts& node = facts.nodes[static_cast<size_t>(index)];
    Host host;
    host.node = index;
    host.spans = node.spans;
    host.free_bytes = node.free_bytes;
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

void Hosts::allow_portions(int64_t of_each) {
  for (Host& host : hosts_) host.of_each = of_each;
  in_order_ = false;
}

void Hosts::allow_portions_by_memory(int64_t count, int64_t most_aggregators) {
  const int64_t enough = memory_for_window(facts_), least = least_memory(facts_);
  // Each host has one before any has another, as those of one host share its link.
  std::vector<int64_t> aggregators(hosts_.size());
  for (bool goes_on = true; std::exchange(goes_on, false);) {
    for (size_t i = 0; i < hosts_.size() && most_aggregators > 0; ++i) {
      const Host& host = hosts_[i];
      if (aggregators[i] == std::ssize(host.candidates)) continue;
      if (anybody_fits_ && host.free_bytes / least <= aggregators[i]) continue;
      ++aggregators[i];
      --most_aggregators;
      goes_on = true;
    }
  }
  __int128 all = 0;
  std::vector<__int128> usable;  // of each host, for its aggregators together
  for (size_t i = 0; i < hosts_.size(); ++i) {
    hosts_[i].candidates.resize(static_cast<size_t>(aggregators[i]));
    usable.push_back(
        std::min<__int128>(hosts_[i].free_bytes, static_cast<__int128>(enough) * aggregators[i]));
    all += usable.back();
  }
  for (size_t i = 0; i < hosts_.size(); ++i) {
    const __int128 share = all * std::ssize(hosts_[i].candidates);
    hosts_[i].of_each =
        share > 0 ? std::max<int64_t>(1, static_cast<int64_t>((usable[i] * count + share - 1) / share))
                  : count;
  }
  in_order_ = false;
}

bool Hosts::is_full(const Host& host) const {
  return host.taken == static_cast<int64_t>(host.candidates.size()) * host.of_each;
}

bool Hosts::fits_one_more(const Host& host) const {
  if (!anybody_fits_) return true;
  const int64_t least = least_memory(facts_);
  return host.free_bytes / least > host.taken / host.of_each;
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

// Puts a host that has room where it belongs. Memory for one more does not come back.
void Hosts::enter(size_t i) {
  const Host& host = hosts_[i];
  if (!is_full(host)) (fits_one_more(host) ? roomy_ : short_).emplace(host.taken, i);
}

void Hosts::put_in_order() {
  if (in_order_) return;
  in_order_ = true;
  roomy_.clear();
  short_.clear();
  for (size_t i = 0; i < hosts_.size(); ++i) enter(i);
}

const SpanIndex& Hosts::spans() {
  if (!spans_.empty()) return spans_;
  std::vector<SpanIndex::Span> all;
  for (size_t i = 0; i < hosts_.size(); ++i) {
    for (const pattern::Interval& span : hosts_[i].spans) all.push_back({span, i});
  }
  return spans_ = SpanIndex(std::move(all));
}

// The first host in the order that has data in `bytes`. If many have, one of the first will do; else the few
// that have are looked up.
std::optional<Hosts::Place> Hosts::first_with_data(const Order& order,
                                                   std::span<const pattern::Interval> bytes) {
  size_t asked = 0;
  for (const Place& place : order) {
    if (has_data_in(hosts_[place.second], bytes)) return place;
    if (++asked == most_asked) break;
  }
  if (asked < most_asked) return {};
  std::optional<Place> first;
  for (const pattern::Interval& part : bytes) {
    spans().for_each_in(part, [&](size_t i) {
      const Place place{hosts_[i].taken, i};
      if ((!first || place < *first) && order.contains(place)) first = place;
    });
  }
  return first;
}

std::optional<Aggregator> Hosts::take_on(std::optional<size_t> i) {
  if (!i) return {};
  last_ = i;
  Host& host = hosts_[*i];
  if (in_order_) {
    roomy_.erase({host.taken, *i});
    short_.erase({host.taken, *i});
  }
  const auto candidate = static_cast<size_t>(host.taken++ / host.of_each);
  if (in_order_) enter(*i);
  return Aggregator{host.candidates[candidate], host.node};
}

std::optional<Aggregator> Hosts::with_most_memory(std::span<const pattern::Interval> bytes, bool goes_on) {
  const Host* const last = last_ ? &hosts_[*last_] : nullptr;
  const bool may_go_on = last && last->taken % last->of_each != 0 && has_data_in(*last, bytes);
  if (may_go_on && goes_on) return take_on(last_);
  put_in_order();
  const std::optional<Place> found = first_with_data(roomy_, bytes);
  if (!found) return {};
  // Portions lie side by side rather than on a host that has some elsewhere.
  return take_on(may_go_on && found->first > 0 ? *last_ : found->second);
}

std::optional<Aggregator> Hosts::that_goes_on() {
  const bool may = last_ && hosts_[*last_].taken % hosts_[*last_].of_each != 0;
  return may ? take_on(last_) : std::nullopt;
}

std::optional<Aggregator> Hosts::best_of_all(std::span<const pattern::Interval> bytes) {
  put_in_order();
  const auto first_of = [](std::optional<Place> a, std::optional<Place> b) {
    return a && b ? std::min(a, b) : a ? a : b;
  };
  const auto front = [](const Order& order) {
    return order.empty() ? std::optional<Place>() : *order.begin();
  };
  std::optional<Place> found = first_of(first_with_data(roomy_, bytes), first_with_data(short_, bytes));
  if (!found) found = first_of(front(roomy_), front(short_));
  return take_on(found ? std::optional(found->second) : std::nullopt);
}

std::optional<Aggregator> Hosts::on(size_t i) {
  const size_t host = by_index_[i];
  return take_on(is_full(hosts_[host]) ? std::nullopt : std::optional(host));
}

}  // namespace concilio::plan
