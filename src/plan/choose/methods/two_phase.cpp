// Two-phase I/O: the pieces of all ranks are gathered at aggregators.
#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>

#include "plan/choose/at_home.h"
#include "plan/choose/holey_windows.h"
#include "plan/choose/method_table.h"
#include "plan/choose/sparse_reads.h"
#include "plan/choose/striped.h"
#include "plan/choose/two_phase_cost.h"
#include "plan/facts/digest.h"
#include "plan/layout/exchange.h"
#include "plan/layout/windows.h"

namespace concilio::plan {
namespace {

// The cost to storage of windows, and the mean size of a request.
struct Traffic {
  FlushCost cost;
  double request_bytes;
};

// That of a two-phase call's windows, which are `all` together.
Traffic traffic_of(const Facts& facts, const Layout& layout, const WindowSums& all, const Prices& prices) {
  const Digest& digest = facts.digest;
  const auto window_bytes = static_cast<double>(layout.window_bytes);
  const double piece_bytes =
      static_cast<double>(digest.bytes) / static_cast<double>(std::max<int64_t>(1, digest.file_pieces));
  if (facts.operation == Operation::read) {
    const WantedShape wanted{static_cast<double>(digest.bytes), static_cast<double>(digest.file_pieces)};
    const ReadingCosts costs = reading_costs(all, wanted, prices);
    // Aggregators that know what is wanted leave out large holes, if there are any.
    const bool known = std::all_of(layout.groups.begin(), layout.groups.end(),
                                   [&](const Group& group) { return knows_wanted(layout, group); });
    if (known && costs.wanted.seconds() < costs.whole.seconds()) return {costs.wanted, piece_bytes};
    return {costs.whole, window_bytes};
  }
  const auto holey = holey_windows(facts, layout, all.windows, prices);
  if (!holey) return {transferred(all.windows, all.bytes, all.jumps, prices.write), window_bytes};
  if (holey->how == Flush::read_modify_write) {
    FlushCost cost = rewritten(all.windows, all.bytes, all.windows, prices);
    // A window's old bytes and its new ones come to lie beside each other, and whichever are less are copied.
    // That takes long enough to count only where storage answers from memory.
    const int64_t merged = std::min(digest.bytes, holey->all.range_bytes - digest.bytes);
    if (prices.from_memory) cost.byte_seconds += static_cast<double>(merged) / prices.window_bytes_per_second;
    cost.request_seconds += all.windows * locking_seconds(prices);
    return {cost, window_bytes};
  }
  const RequestSeconds large(prices.write.adjoining, large_request_bytes);
  return {{cost_of_flush(holey->how, holey->all, all.windows, prices).request_seconds,
           static_cast<double>(digest.bytes) / large_request_bytes * large.of_bytes},
          piece_bytes};
}

int64_t aggregating_nodes(const Layout& layout, const Group& group) {
  std::set<int> nodes;
  for (int i = group.first_realm; i < group.end_realm; ++i)
    nodes.insert(layout.realms[static_cast<size_t>(i)].node);
  return std::max<int64_t>(1, std::ssize(nodes));
}

// The part of all the aggregators' time that the one needs which is the last to end: it has most bytes, or
// small windows.
double share_of_last(const Layout& layout, const FlushCost& traffic) {
  double windows = 0, bytes = 0, share = 0;
  for (const Realm& realm : layout.realms) {
    windows += static_cast<double>(rounds_of(realm));
    bytes += static_cast<double>(realm.bytes);
  }
  const double seconds = traffic.seconds();
  if (windows <= 0 || bytes <= 0 || seconds <= 0) return 0;
  for (const Realm& realm : layout.realms) {
    const double its_seconds = traffic.request_seconds * static_cast<double>(rounds_of(realm)) / windows +
                               traffic.byte_seconds * static_cast<double>(realm.bytes) / bytes;
    share = std::max(share, its_seconds / seconds);
  }
  return share;
}

// Whether the windows of two-phase I/O would only do what sieving does, and copy the bytes once more. Where
// storage does not answer from memory, it moves a window while the next one is filled.
bool has_nobody_to_exchange_with(const Facts& facts) {
  const Wishes& wishes = facts.wishes;
  const bool asked_for = wishes.forced_method == static_cast<int32_t>(Method::two_phase) ||
                         wishes.collective == Choice3::enable || wishes.no_independent ||
                         wishes.write_behind_bytes > 0 || wishes.realms != RealmPolicy::automatic;
  return facts.nodes.size() == 1 && most_ranks_of_node(facts) == 1 && prices_of(facts).from_memory &&
         !asked_for;
}

}  // namespace

Phrase obstacle_to_two_phase(const Facts& facts) {
  if (!facts.collective) return {"the call is not collective"};
  if (facts.wishes.collective == Choice3::disable)
    return {facts.operation == Operation::read ? "romio_cb_read=disable" : "romio_cb_write=disable"};
  if (facts.atomic) return {"the file is in atomic mode"};
  if (!facts.digest.monotone) return {"the bytes are not asked for in ascending order"};
  if (has_nobody_to_exchange_with(facts)) return {"one rank alone has nobody to exchange with"};
  for (const NodeFacts& node : facts.nodes) {
    if (!node.candidates.empty()) return {};
  }
  return {"no rank may aggregate"};
}

Cost summed_cost_of_two_phase(const Facts& facts, const Layout& layout, const Prices& prices) {
  const WindowSums all = sums_of(layout.realms);
  const auto [traffic, request_bytes] = traffic_of(facts, layout, all, prices);
  const double realms = static_cast<double>(layout.realms.size());
  const double rounds = static_cast<double>(layout.rounds);
  const double bytes = static_cast<double>(facts.digest.bytes);
  const double nodes = static_cast<double>(facts.nodes.size());
  const auto window_bytes = static_cast<double>(layout.window_bytes);
  const double targets = targets_of_request(facts, all.windows > 0 ? all.bytes / all.windows : 0);
  const double clients = together(facts, realms, request_bytes, prices);
  const double at_once = moving_together(facts, realms * targets, window_bytes, prices);
  const double share = share_of_last(layout, traffic);
  const double request_seconds = traffic.request_seconds * std::max(1 / clients, share);
  const double of_last = std::max(1 / at_once, share / targets);
  const double byte_seconds =
      moving_seconds(facts, traffic.byte_seconds * of_last, all.bytes, 1 / of_last, prices);
  const double storage = request_seconds + byte_seconds;
  Cost cost;
  add_agreements(facts, prices, cost);
  cost.add("requests", request_seconds);
  cost.add("storage", byte_seconds);
  // Every other node of a group sends its share of each window to the aggregator; groups do so at the same
  // time. Data that stay on their own node need no message.
  const AtHome at_home(facts, layout);
  double messages = 0, network = 0, hop_seconds = 0;
  for (const Group& group : layout.groups) {
    const double of_group = static_cast<double>(group.nodes.size());
    if (of_group < 2) continue;
    const auto links = static_cast<double>(aggregating_nodes(layout, group));
    const double its_bytes = group.data_bytes > 0 ? static_cast<double>(group.data_bytes) : bytes;
    const Messages most = most_messages(facts, layout, group);
    messages = std::max(messages, static_cast<double>(most.of_aggregators) / links +
                                      static_cast<double>(most.within_clusters) / of_group);
    network = std::max(network, its_bytes * (1 - at_home.part(group)) / links);
    // In clusters, the data of all others go through a relay, which takes one more step in each round.
    const double combined =
        static_cast<double>(std::min<int64_t>(layout.combined_nodes, std::ssize(group.nodes)));
    if (combined < 2) continue;
    const double relayed = its_bytes * (of_group - combined) / of_group / of_group;  // by each node
    hop_seconds =
        std::max(hop_seconds, static_cast<double>(group.rounds) * prices.message.at(0) +
                                  relayed * (combined - 1) / combined / prices.network_bytes_per_second +
                                  prices.copy.at(relayed));
  }
  const double copies = copy_seconds(facts, bytes, largest_piece_count(facts), prices);
  const double message_seconds = nodes > 1 ? messages * prices.message.at(0) + hop_seconds : 0;
  const double network_seconds = nodes > 1 ? network / prices.network_bytes_per_second : 0;
  // While storage writes or reads one window the next is filled, unless both need the same cores. So the
  // exchange adds only its first round, and what takes longer than storage. Without pipelining it adds all.
  double seen = 1;
  if (const double exchange = copies + message_seconds + network_seconds;
      facts.wishes.pipelining && !prices.from_memory && rounds > 1 && exchange > 0) {
    seen = std::max(1 / rounds, (exchange - storage * (rounds - 1) / rounds) / exchange);
  }
  cost.add("copies", seen * copies);
  double of_others = 0;
  for (const Realm& realm : layout.realms) of_others = std::max(of_others, at_home.bytes_of_others(realm));
  cost.add("sorting", sorting_seconds(facts, of_others, prices));
  // The ranks of a node meet once a window, and once more if they mark first what they want of it.
  const bool marks = std::any_of(layout.groups.begin(), layout.groups.end(),
                                 [](const Group& group) { return group.marks_wanted; });
  cost.add("synchronisation", (marks ? 2 : 1) * rounds * round_seconds(facts, prices));
  cost.add("messages", seen * message_seconds);
  cost.add("network", seen * network_seconds);
  return cost;
}

TwoPhaseCost played_cost_of_two_phase(const Facts& facts, const Layout& layout, const Prices& prices) {
  constexpr std::array<std::string_view, 5> played = {"requests", "storage", "copies", "sorting", "network"};
  Cost cost = summed_cost_of_two_phase(facts, layout, prices);
  const auto on_targets = seconds_on_targets(facts, layout, prices);
  if (on_targets) cost.take_together(played, *on_targets);
  return {cost, on_targets.has_value()};
}

Cost cost_of_two_phase(const Facts& facts, const Layout& layout, const Prices& prices) {
  return played_cost_of_two_phase(facts, layout, prices).cost;
}

Phrase merit_of_two_phase(const Facts& facts, const Layout& layout) {
  const Digest& digest = facts.digest;
  int64_t windows = 0;
  for (const Realm& realm : layout.realms) windows += rounds_of(realm);
  return {windows == 1 ? "{} of about {} would need {} requests alone; together {} of {} does"
                       : "{} of about {} would need {} requests alone; together {} of {} do",
          {Quantity::pieces(pieces_of(digest)), Quantity::bytes(mean_piece_bytes(digest)),
           Quantity::number(digest.file_pieces), Quantity::windows(windows),
           Quantity::bytes(layout.window_bytes)}};
}

}  // namespace concilio::plan
