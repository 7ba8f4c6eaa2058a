#include "plan/choose/cheapest_layout.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <utility>

#include "base/checked.h"
#include "plan/choose/clusters.h"
#include "plan/choose/shared_stripes.h"
#include "plan/choose/sparse_reads.h"
#include "plan/choose/two_phase_cost.h"
#include "plan/layout/exchange.h"
#include "plan/layout/lay_out.h"
#include "plan/layout/placement.h"
#include "plan/layout/realms.h"
#include "plan/layout/windows.h"

namespace concilio::plan {
namespace {

// On more nodes than this, making another layout takes longer than it could save.
constexpr size_t most_nodes = 128;
// On more nodes than this, not all combinations of settings are tried.
constexpr size_t most_nodes_for_combinations = 32;
// Most aggregators that are tried on a node. Where they wait for storage, more of them gain something than
// where they share its memory.
constexpr int64_t most_from_memory = 4, most_aggregators = 8;
// If storage does not answer from memory, a larger window means fewer requests with more bytes each. But the
// exchange for the first window has nothing to go on beside, so the largest is not always the best.
constexpr int64_t larger_windows[] = {1 << 20, 2 << 20, 4 << 20, 6 << 20};
// So few bytes come into the one node's memory, and out of it, in less time than another layout takes to
// make.
constexpr int64_t few_bytes = 16 << 10;
// A window with a stripe on every target is tried too, unless it is larger than this.
constexpr int64_t largest_window_tried = 64 << 20;
// Making a layout takes so long for each node (measured). All pairs of windows and aggregators are tried if a
// call is predicted to take at least this part of that: few calls of its pattern earn it.
constexpr double layout_seconds_of_node = 30e-6, least_part_of_planning = 0.1;
// Another layout than the first must be cheaper by this share, since prices are not more exact.
constexpr double least_saving = 0.05;

// How many aggregators a node might have instead of the usual number.
std::vector<int64_t> aggregators_tried(const Facts& facts, bool from_memory) {
  const int64_t measured = facts.storage.aggregators_per_node;
  if (facts.nodes.size() > 1) {
    // A node's aggregators share its link. They gain something where they wait for storage.
    return from_memory || measured > 0 ? std::vector<int64_t>{}
                                       : std::vector<int64_t>{2, 4, most_aggregators};
  }
  if (one_writes_for_all(facts)) return {};
  // If storage answers from memory, an aggregator without a core of its own gains nothing.
  const int64_t tried =
      from_memory ? std::clamp<int64_t>(facts.cores_per_node, 1, most_from_memory) : most_aggregators;
  const int64_t most = std::min({facts.nodes[0].ranks, tried, measured > 0 ? measured : most_aggregators});
  const int64_t usual = aggregators_per_node(facts, facts.nodes[0], 1);
  std::vector<int64_t> numbers;
  for (int64_t aggregators = 1; aggregators <= most; aggregators *= 2) {
    if (aggregators != usual) numbers.push_back(aggregators);
  }
  return numbers;
}

// How many aggregators the one node has at most, of the usual number and those that are tried.
int64_t most_realms(const Facts& facts) {
  return std::max(most_aggregators, aggregators_per_node(facts, facts.nodes[0], 1));
}

// Whether even realms, of as many aggregators as are tried, have about equally many bytes. Balanced ones
// would save no more than what the largest of these has above its share.
bool lie_evenly(const std::vector<Bucket>& buckets, int64_t most_realms) {
  int64_t bytes = 0;
  for (const Bucket& bucket : buckets) bytes += bucket.bytes;
  const size_t count = buckets.size();
  for (size_t realms = 2; realms <= static_cast<size_t>(most_realms); ++realms) {
    for (size_t i = 0, at = 0; i < realms; ++i) {
      int64_t of_realm = 0;
      for (; at < count * (i + 1) / realms; ++at) of_realm += buckets[at].bytes;
      const double share = static_cast<double>(bytes) / static_cast<double>(realms);
      if (static_cast<double>(of_realm) > (1 + least_saving) * share) return false;
    }
  }
  return true;
}

// How many hosts have memory for an aggregator that needs so much.
int64_t hosts_with(const Facts& facts, int64_t memory_bytes) {
  return std::count_if(facts.nodes.begin(), facts.nodes.end(),
                       [&](const NodeFacts& node) { return node.free_bytes >= memory_bytes; });
}

// Which windows might be taken instead of the usual ones.
std::vector<int64_t> windows_tried(const Facts& facts, bool from_memory) {
  std::vector<int64_t> windows;
  if (facts.wishes.window_bytes > 0 || from_memory) return windows;
  windows.assign(std::begin(larger_windows), std::end(larger_windows));
  const auto over_all = checked_multiply(facts.storage.stripe_targets, facts.storage.stripe_bytes);
  if (prices_of(facts).of_target && over_all && *over_all > windows.back() &&
      *over_all <= largest_window_tried)
    windows.push_back(*over_all);
  return windows;
}

// What a host might be asked to have for an aggregator instead of the usual amount: less, so that more hosts
// take part, whose windows are smaller in the same proportion; or as much as larger windows take, so that no
// aggregator with small ones is the last to end.
std::vector<int64_t> memory_minima_tried(const Facts& facts, const std::vector<int64_t>& windows) {
  std::vector<int64_t> minima;
  const size_t nodes = facts.nodes.size();
  if (nodes < 2 || nodes > most_nodes || facts.wishes.memory_min_bytes > 0 ||
      !placement_row(facts.wishes.placement).by_memory)
    return minima;
  const int64_t usual = usual_memory_min(facts);
  int64_t hosts = hosts_with(facts, usual);
  for (const int64_t less : {usual / 4, usual / 16, int64_t{1}}) {
    const int64_t more = hosts_with(facts, less);
    if (more > hosts) minima.push_back(std::max<int64_t>(1, less));
    hosts = more;
  }
  if (facts.wishes.aggregators > 0) return minima;  // fewer hosts may be fewer aggregators than are asked for
  hosts = hosts_with(facts, usual);
  for (const int64_t window : windows) {
    const int64_t minimum = window * (usual_memory_min_bytes / usual_window_bytes);
    const int64_t fewer = hosts_with(facts, minimum);
    if (fewer > 0 && fewer < hosts) minima.push_back(minimum);
    hosts = fewer;
  }
  return minima;
}

// Whether some host has less memory than the largest windows take that are tried. Then hosts with more may
// get more of the file, in an exchange in which a host's windows follow from its own memory.
bool differs_in_memory(const Facts& facts, const std::vector<int64_t>& windows) {
  const RealmPolicy policy = chosen_policy(facts);
  if (facts.nodes.size() < 2 || policy != RealmPolicy::tree ||
      !placement_row(facts.wishes.placement).by_memory ||
      exchange_of(facts) != ExchangeStrategy::descriptions)
    return false;
  Facts largest = facts;
  if (!windows.empty()) largest.trial.window_bytes = windows.back();
  const int64_t enough = memory_for_window(largest);
  int64_t least = INT64_MAX, most = 0;
  for (const NodeFacts& node : facts.nodes) {
    least = std::min(least, node.free_bytes);
    most = std::max(most, node.free_bytes);
  }
  return least < enough && least < most;
}

// What one setting may be instead of the usual.
using Setting = std::vector<std::function<void(Trial&)>>;

template <typename Value>
Setting setting(Value Trial::*member, const std::vector<Value>& values) {
  Setting changes;
  for (const Value& value : values) changes.push_back([=](Trial& trial) { trial.*member = value; });
  return changes;
}

// The first two are those of memory, then come windows and aggregators. groups: of the usual layout.
std::vector<Setting> settings_tried(const Facts& facts, size_t groups) {
  const Wishes& wishes = facts.wishes;
  // Realms that belong to the file serve other calls too, so this call's cost does not decide.
  if (realm_policy_row(chosen_policy(facts)).of_file || facts.nodes.size() > most_nodes) return {};
  const bool from_memory = prices_of(facts).from_memory;
  if (from_memory && facts.nodes.size() == 1 && facts.digest.end - facts.digest.first <= few_bytes) return {};
  const std::vector<int64_t> windows = windows_tried(facts, from_memory);
  const std::vector<int64_t> minima = memory_minima_tried(facts, windows);
  std::vector<Setting> settings{setting(&Trial::memory_min_bytes, minima)};
  settings.push_back(differs_in_memory(facts, windows) ? setting(&Trial::by_memory, {true}) : Setting());
  settings.push_back(setting(&Trial::window_bytes, windows));
  settings.push_back(wishes.aggregators == 0 && wishes.aggregators_per_node == 0
                         ? setting(&Trial::aggregators_per_node, aggregators_tried(facts, from_memory))
                         : Setting());
  if (wishes.groups && groups > 1) {
    Setting other_groups;
    // A group whose own hosts are short of memory may do better with others' help.
    if (!minima.empty()) other_groups.push_back([](Trial& trial) { trial.one_group = true; });
    // Groups whose nodes take stripes from each other may do better together.
    if (facts.storage.revoke_ns > 0) other_groups.push_back([](Trial& trial) { trial.whole_stripes = true; });
    settings.push_back(std::move(other_groups));
  }
  // Balanced realms may be better if bytes lie unevenly.
  if (wishes.realms == RealmPolicy::automatic && facts.nodes.size() == 1 &&
      !lie_evenly(facts.buckets, most_realms(facts)))
    settings.push_back(setting(&Trial::realms, {RealmPolicy::balanced}));
  return settings;
}

// All combinations of settings but the first one, `usual`.
std::vector<Trial> combinations(std::span<const Setting> settings, const Trial& usual = {}) {
  std::vector<Trial> trials{usual};
  for (const Setting& setting : settings) {
    const size_t count = trials.size();
    for (const auto& change : setting) {
      for (size_t i = 0; i < count; ++i) {
        trials.push_back(trials[i]);
        change(trials.back());
      }
    }
  }
  trials.erase(trials.begin());
  return trials;
}

}  // namespace

LayoutPrice price_of_layout(const Facts& facts, const Layout& layout, const Prices& prices) {
  const auto [cost, played] = played_cost_of_two_phase(facts, layout, prices);
  return {cost.seconds() + seconds_of_shared_stripes(facts, layout, prices), played};
}

Layout usual_layout(const Facts& facts, const std::vector<pattern::Interval>& spans) {
  Layout layout;
  lay_out_two_phase(facts, spans, layout);
  if (spans.empty()) return layout;
  layout.exchange = choose_exchange(facts, layout, prices_of(facts));
  if (layout.exchange == ExchangeStrategy::alltoallw) {
    // What leaders tell each other then grows with the number of nodes.
    add_up_memory(facts, layout);
    if (!is_within_limits(facts, layout)) {
      layout.exchange = ExchangeStrategy::images;
      add_up_memory(facts, layout);
    }
  }
  choose_clusters(facts, layout, prices_of(facts));
  choose_reading(facts, layout, prices_of(facts));
  return layout;
}

Layout cheapest_layout(const Facts& facts, const std::vector<pattern::Interval>& spans) {
  return cheapest_layout_after(facts, spans, usual_layout(facts, spans));
}

Layout cheapest_layout_after(const Facts& facts, const std::vector<pattern::Interval>& spans, Layout usual) {
  Layout best = std::move(usual);
  const std::vector<Setting> settings = settings_tried(facts, best.groups.size());
  if (settings.empty() || spans.empty()) return best;
  const Prices& prices = prices_of(facts);
  const LayoutPrice usual_price = price_of_layout(facts, best, prices);
  double least = usual_price.seconds * (1 - least_saving);
  Facts changed = facts;
  Trial best_trial;
  // Where windows hold whole realms: their length, and the other settings. Longer ones change nothing there.
  std::vector<std::pair<Trial, int64_t>> whole;
  const auto is_known = [&](Trial trial) {
    const int64_t window = std::exchange(trial.window_bytes, 0);
    return std::ranges::any_of(whole,
                               [&](const auto& one) { return one.first == trial && one.second <= window; });
  };
  // Returns the cost of a layout, and takes it if it is the cheapest so far.
  const auto consider = [&](const Trial& trial) {
    if (is_known(trial)) return std::numeric_limits<double>::infinity();
    changed.trial = trial;
    Layout layout = usual_layout(changed, spans);
    if (layout.rounds == 1 && trial.window_bytes > 0) {
      whole.emplace_back(trial, trial.window_bytes);
      whole.back().first.window_bytes = 0;
    }
    const LayoutPrice price = price_of_layout(facts, layout, prices);
    // A warning says what could not be had. A layout with another warning than the usual one is not taken:
    // the usual layout need not have asked for that.
    if (layout.warning == best.warning && price.seconds < least &&
        price.by_targets == usual_price.by_targets) {
      least = price.seconds;
      best = std::move(layout);
      best_trial = trial;
    }
    return price.seconds;
  };
  // Where realms have few windows, it may be better if the short ones among these come first. In which order
  // messages pass is not played.
  const auto consider_order = [&] {
    const bool in_order =
        std::ranges::all_of(best.realms, [](const Realm& realm) { return realm.start == 0; });
    const bool within_nodes =
        std::ranges::all_of(best.groups, [](const Group& group) { return group.nodes.size() == 1; });
    Trial trial = best_trial;
    trial.from_front = true;
    if (!in_order && within_nodes) consider(trial);
  };
  if (facts.nodes.size() <= most_nodes_for_combinations) {
    for (const Trial& trial : combinations(settings)) consider(trial);
    consider_order();
    return best;
  }
  // One setting after another is changed, to what is cheapest so far, but for those of memory.
  std::vector<Trial> starts = combinations(std::span(settings).first(2));
  starts.emplace_back();
  for (Trial trial : starts) {
    double seconds = consider(trial);
    for (const Setting& setting : std::span(settings).subspan(2)) {
      const Trial before = trial;
      for (const auto& change : setting) {
        Trial other = before;
        change(other);
        if (const double its = consider(other); its < seconds) {
          seconds = its;
          trial = other;
        }
      }
    }
  }
  // Many aggregators with small windows keep as many targets busy as few with large ones; one setting after
  // another finds only one of the two.
  const std::vector<Trial> pairs = combinations(std::span(settings).subspan(2, 2), best_trial);
  const auto layouts = std::ranges::count_if(pairs, [&](const Trial& trial) { return !is_known(trial); });
  const double planning = static_cast<double>(layouts * std::ssize(facts.nodes)) * layout_seconds_of_node;
  if (least >= least_part_of_planning * planning) {
    for (const Trial& trial : pairs) consider(trial);
  }
  consider_order();
  return best;
}

}  // namespace concilio::plan
