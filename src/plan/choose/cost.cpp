#include "plan/choose/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/format_seconds.h"
#include "plan/layout/footprint.h"
#include "plan/layout/lay_out.h"
#include "plan/layout/windows.h"

namespace concilio {
namespace {

double ranks_at_work(const Facts& facts) {
  return static_cast<double>(std::max<int64_t>(1, facts.digest.ranks_with_data));
}

// Cores that the ranks keep busy together.
double cores_at_work(const Facts& facts) {
  const double nodes = static_cast<double>(std::max<size_t>(1, facts.nodes.size()));
  return std::min(ranks_at_work(facts),
                  nodes * static_cast<double>(std::max<int64_t>(1, facts.cores_per_node)));
}

// How many times as fast as one `clients` are together.
double together(const Facts& facts, double clients, double request_bytes, const Prices& prices) {
  clients = std::max(1.0, clients);
  const double most = prices.from_memory ? cores_at_work(facts) : clients;
  return std::min(std::max(1.0, most), speedup(prices.of(facts.operation), clients, request_bytes));
}

// Bytes copied in memory, in `pieces` pieces, by all ranks side by side.
double copy_seconds(const Facts& facts, double bytes, double pieces, const Prices& prices) {
  pieces = std::max(1.0, pieces);
  return pieces * prices.copy.at(bytes / pieces) / cores_at_work(facts);
}

// What a request takes for its own sake, and for its bytes.
struct RequestSeconds {
  double latency, of_bytes;
  RequestSeconds(const Curve& curve, double bytes)
      : latency(curve.at(0)), of_bytes(std::max(0.0, curve.at(bytes) - latency)) {}
};

// One wake-up of every rank of the fullest node.
double round_seconds(const Facts& facts, const Prices& prices) {
  int64_t ranks = 1;
  for (const NodeFacts& node : facts.nodes) ranks = std::max(ranks, node.ranks);
  const int64_t cores = std::max<int64_t>(1, facts.cores_per_node);
  const double of_one =
      ranks > cores ? prices.oversubscribed_seconds / static_cast<double>(cores) : prices.synchronise_seconds;
  return static_cast<double>(ranks) * of_one;
}

double largest_piece_count(const Facts& facts) {
  return static_cast<double>(std::max(facts.digest.file_pieces, facts.digest.memory_pieces));
}

// All ranks of a collective call agree before it and after it.
void add_agreements(const Facts& facts, const Prices& prices, Cost& cost) {
  if (!facts.collective) return;
  double seconds = 2 * round_seconds(facts, prices);
  if (facts.nodes.size() > 1)
    seconds += 2 * std::log2(static_cast<double>(facts.nodes.size())) * prices.message.at(0);
  cost.terms.push_back({"agreement", seconds});
}

// Every piece of the file a request of its own: what all ask for together, but no less than the largest rank
// takes.
Cost cost_of_pieces(const Facts& facts, double pieces, double pieces_of_one, const Prices& prices) {
  const RequestPrices& requests = prices.of(facts.operation);
  const double bytes = static_cast<double>(facts.digest.bytes);
  const double mean_bytes = bytes / std::max(1.0, pieces);
  const RequestSeconds one(requests.scattered, mean_bytes);
  const double of_one = seconds_of_one(facts.operation, pieces_of_one, prices);
  // A rank with many requests under way keeps storage as busy as several with one.
  const double clients = ranks_at_work(facts) * std::max(1.0, one.latency / of_one);
  Cost cost;
  add_agreements(facts, prices, cost);
  cost.terms.push_back(
      {"requests", std::max(pieces * one.latency / together(facts, clients, mean_bytes, prices),
                            pieces_of_one * std::min(of_one, one.latency))});
  const double bytes_of_one = static_cast<double>(facts.digest.max_rank_bytes);
  cost.terms.push_back(
      {"storage", std::max(pieces * one.of_bytes / together(facts, ranks_at_work(facts), mean_bytes, prices),
                           bytes_of_one / std::max(1.0, mean_bytes) * one.of_bytes)});
  // Scattered memory is gathered on its way.
  if (facts.digest.memory_pieces > facts.digest.file_pieces) {
    cost.terms.push_back(
        {"copies", copy_seconds(facts, bytes, static_cast<double>(facts.digest.memory_pieces), prices)});
  }
  return cost;
}

// Stretches of the file in which a realm's bytes lie.
double requests_of(const Realm& realm) {
  const auto stretches = static_cast<double>(realm.positions.size());
  if (realm.piece_bytes <= 0) return stretches;
  return stretches + static_cast<double>(realm.bytes) / static_cast<double>(realm.piece_bytes);
}

// What it costs that a request does not begin where the client's last one ended.
double jump_seconds(const RequestPrices& requests) {
  return std::max(0.0, requests.scattered.at(0) - requests.adjoining.at(0));
}

// `windows` read or written by way of a buffer that stays in cache, `jumps` of them not where the last ended.
FlushCost transferred(double windows, double bytes, double jumps, const RequestPrices& requests) {
  const RequestSeconds one(requests.window, bytes / std::max(1.0, windows));
  return {windows * one.latency + jumps * jump_seconds(requests), windows * one.of_bytes};
}

// Windows read, modified and written.
FlushCost rewritten(double windows, double bytes, double jumps, const Prices& prices) {
  const FlushCost read = transferred(windows, bytes, jumps, prices.read);
  const FlushCost write = transferred(windows, bytes, jumps, prices.write);
  return {read.request_seconds + write.request_seconds, read.byte_seconds + write.byte_seconds};
}

// What the windows of a two-phase call cost storage.
FlushCost traffic_of(const Facts& facts, const Layout& layout, const Prices& prices) {
  double windows = 0, stretches = 0;
  WindowShape all{0, facts.digest.bytes, facts.digest.file_pieces, 0};
  for (const Realm& realm : layout.realms) {
    all.range_bytes += realm.bytes;
    stretches += requests_of(realm);
    windows += std::max(static_cast<double>(rounds_of(realm)), requests_of(realm));
  }
  const RequestPrices& requests = prices.of(facts.operation);
  const auto range_bytes = static_cast<double>(all.range_bytes);
  if (facts.operation == Operation::write && all.covered_bytes < all.range_bytes) {
    const Flush how = cheapest_flush(all, windows, prices);
    if (how == Flush::read_modify_write) return rewritten(windows, range_bytes, windows, prices);
    const RequestSeconds large(requests.adjoining, large_request_bytes);
    return {cost_of_flush(how, all, windows, prices).request_seconds,
            static_cast<double>(all.covered_bytes) / large_request_bytes * large.of_bytes};
  }
  // The windows of one aggregator adjoin within a stretch; those of several come in turn.
  return transferred(windows, range_bytes, layout.realms.size() > 1 ? windows : stretches, requests);
}

}  // namespace

double Cost::seconds() const {
  double sum = 0;
  for (const Term& term : terms) sum += term.seconds;
  return sum;
}

std::string Cost::text() const {
  std::string out;
  for (const Term& term : terms) {
    if (term.seconds <= 0) continue;
    if (!out.empty()) out += " + ";
    out += term.name;
    out += ' ';
    out += format_seconds(term.seconds);
  }
  return out.empty() ? "nothing to do" : out;
}

Cost cost_of_independent(const Facts& facts, const Layout&, const Prices& prices) {
  return cost_of_pieces(facts, static_cast<double>(facts.digest.ranks_with_data), 1, prices);
}

Cost cost_of_list(const Facts& facts, const Layout&, const Prices& prices) {
  return cost_of_pieces(facts, static_cast<double>(facts.digest.file_pieces),
                        static_cast<double>(facts.digest.max_rank_file_pieces), prices);
}

Cost cost_of_sieve(const Facts& facts, const Layout&, const Prices& prices) {
  const Digest& digest = facts.digest;
  const bool writes = facts.operation == Operation::write;
  const double ranks = ranks_at_work(facts), pieces = static_cast<double>(digest.file_pieces);
  const double all_span = static_cast<double>(digest.span), bytes = static_cast<double>(digest.bytes);
  const double most_bytes = std::min(static_cast<double>(sieve_buffer_bytes(facts)), all_span / ranks);
  // A buffer holds pieces and the holes between them; one that has room for a single piece has no holes.
  const bool single = all_span / std::max(1.0, pieces) >= most_bytes;
  const double span = single ? bytes : all_span;
  const double buffers = single ? std::max(pieces, bytes / std::max(1.0, most_bytes))
                                : std::max(span / std::max(1.0, most_bytes), ranks);
  const bool modifies = writes && bytes < span;
  // Ranks whose spans overlap go over the same bytes at about the same time: all but the first find them in
  // cache, where there is one.
  const double distinct = std::min(span, static_cast<double>(digest.end - digest.first));
  const double again = prices.from_memory ? span - distinct : 0;
  const double first = distinct < span && prices.from_memory ? distinct / span : 1;
  // Without holes only a rank's first window does not begin where its last one ended.
  const double jumps = bytes < all_span || ranks > 1 ? buffers : 1;
  const FlushCost at_first = modifies ? rewritten(buffers, span, jumps, prices)
                                      : transferred(buffers, span, jumps, prices.of(facts.operation));
  const double request_seconds = at_first.request_seconds;
  // Writers that modify what lies between others' pieces wait for each other's locks.
  const bool take_turns = modifies && span > static_cast<double>(digest.end - digest.first);
  const double at_once = take_turns ? 1 : together(facts, ranks, span / buffers, prices);
  // Measured: what is in the cache that all cores share comes no faster to several.
  const double byte_seconds =
      first * at_first.byte_seconds / at_once + (modifies ? 2 : 1) * again / prices.window_bytes_per_second;
  Cost cost;
  add_agreements(facts, prices, cost);
  cost.terms.push_back({"requests", request_seconds / at_once});
  cost.terms.push_back({"storage", byte_seconds});
  if (writes) cost.terms.push_back({"locks", buffers * prices.lock_seconds / at_once});
  cost.terms.push_back({"copies", copy_seconds(facts, bytes, largest_piece_count(facts), prices)});
  return cost;
}

Cost cost_of_two_phase(const Facts& facts, const Layout& layout, const Prices& prices) {
  const FlushCost traffic = traffic_of(facts, layout, prices);
  const double realms = static_cast<double>(layout.realms.size());
  const double rounds = static_cast<double>(layout.rounds);
  const double bytes = static_cast<double>(facts.digest.bytes);
  const double nodes = static_cast<double>(facts.nodes.size());
  const double at_once = together(facts, realms, static_cast<double>(layout.window_bytes), prices);
  // The aggregator with most bytes is the last to end.
  int64_t range_bytes = 0, most_bytes = 0;
  for (const Realm& realm : layout.realms) {
    range_bytes += realm.bytes;
    most_bytes = std::max(most_bytes, realm.bytes);
  }
  const double uneven =
      range_bytes > 0
          ? std::max(1.0, static_cast<double>(most_bytes) * at_once / static_cast<double>(range_bytes))
          : 1;
  const double storage = (traffic.request_seconds + traffic.byte_seconds) / at_once * uneven;
  Cost cost;
  add_agreements(facts, prices, cost);
  cost.terms.push_back({"requests", traffic.request_seconds / at_once * uneven});
  cost.terms.push_back({"storage", traffic.byte_seconds / at_once * uneven});
  // Every other node of a group sends each window's share to its aggregator; groups do so side by side. What
  // stays on its own node needs no message.
  double messages = 0, network = 0;
  for (const Group& group : layout.groups) {
    const double of_group = static_cast<double>(group.nodes.size());
    if (of_group < 2) continue;
    const double its_realms = group.end_realm - group.first_realm;
    const double links = std::max(1.0, std::min(its_realms, of_group));
    const double its_bytes = group.data_bytes > 0 ? static_cast<double>(group.data_bytes) : bytes;
    messages = std::max(messages, static_cast<double>(group.rounds) * (of_group - 1) * its_realms / links);
    network = std::max(network, its_bytes * (of_group - 1) / of_group / links);
  }
  const double copies = copy_seconds(facts, bytes, largest_piece_count(facts), prices);
  const double message_seconds = nodes > 1 ? messages * prices.message.at(0) : 0;
  const double network_seconds = nodes > 1 ? network / prices.network_bytes_per_second : 0;
  // While storage takes one window the next is filled, unless both want the same cores: what of the exchange
  // is seen is its first round and what storage does not cover.
  double seen = 1;
  if (const double exchange = copies + message_seconds + network_seconds;
      !prices.from_memory && rounds > 1 && exchange > 0) {
    seen = std::max(1 / rounds, (exchange - storage * (rounds - 1) / rounds) / exchange);
  }
  cost.terms.push_back({"copies", seen * copies});
  cost.terms.push_back({"synchronisation", rounds * round_seconds(facts, prices)});
  cost.terms.push_back({"messages", seen * message_seconds});
  cost.terms.push_back({"network", seen * network_seconds});
  return cost;
}

bool maps_by_piece(double bytes, double pieces, double span) {
  // A piece is a mapping of its own, at the price of some fifty pages, and begins and ends within pages.
  constexpr double page_bytes = map_page_bytes;
  return bytes / page_bytes + pieces * 50 < span / page_bytes;
}

// Measured with 2 to 8 ranks on 2 cores: each counts itself in at pages that another rank has too, one after
// another.
constexpr double shared_page_seconds = 0.4e-6;

Cost cost_of_mapped(const Facts& facts, const Layout&, const Prices& prices) {
  const Digest& digest = facts.digest;
  const double bytes = static_cast<double>(digest.bytes), pieces = static_cast<double>(digest.file_pieces);
  const double span = static_cast<double>(digest.span);
  const bool by_piece = maps_by_piece(bytes, pieces, span);
  const double stretches = by_piece ? pieces : ranks_at_work(facts);
  const double mapped_bytes = by_piece ? bytes : span;
  const double windows = stretches + mapped_bytes / static_cast<double>(map_window_bytes);
  const double pages = stretches + mapped_bytes / static_cast<double>(map_page_bytes);
  // The first of all ranks that writes to a page gives it space.
  const double distinct = std::min(
      pages, 1 + static_cast<double>(digest.end - digest.first) / static_cast<double>(map_page_bytes));
  const double page_seconds =
      facts.operation == Operation::read ? prices.map_read_page_seconds : prices.map_write_page_seconds;
  const double pages_seconds = distinct * page_seconds + (pages - distinct) * shared_page_seconds;
  Cost cost;
  add_agreements(facts, prices, cost);
  cost.terms.push_back({"mappings", windows * prices.map_seconds / cores_at_work(facts)});
  cost.terms.push_back({"pages", pages_seconds / cores_at_work(facts)});
  cost.terms.push_back({"copies", copy_seconds(facts, bytes, largest_piece_count(facts), prices)});
  return cost;
}

ExchangeStrategy choose_exchange(const Facts& facts, const Layout& layout, const Prices& prices) {
  const bool travels = std::any_of(layout.groups.begin(), layout.groups.end(),
                                   [](const Group& group) { return group.nodes.size() > 1; });
  if (!travels || facts.wishes.alltoallw == Choice3::disable) return ExchangeStrategy::messages;
  if (facts.wishes.alltoallw == Choice3::enable) return ExchangeStrategy::alltoallw;
  // All leaders would wait for all groups.
  if (layout.groups.size() > 1) return ExchangeStrategy::messages;
  // By messages an aggregator takes in one a node and window, and copies the bytes on. MPI_Alltoallw spares
  // the copy, but every leader speaks to every other one three times in a round of anybody's, and MPI goes
  // through the pieces one by one.
  const double nodes = static_cast<double>(facts.nodes.size()), rounds = static_cast<double>(layout.rounds);
  const double sent = static_cast<double>(facts.digest.bytes) * (nodes - 1) / nodes;
  double in_window = 0;
  for (const Group& group : layout.groups)
    in_window = std::max(in_window,
                         static_cast<double>(group.rounds * (static_cast<int64_t>(group.nodes.size()) - 1)));
  const double realms = static_cast<double>(std::max<size_t>(1, layout.realms.size()));
  const double message_seconds = prices.message.at(0);
  const double by_messages = in_window * message_seconds + prices.copy.at(sent / realms);
  const double by_alltoallw =
      3 * rounds * (nodes - 1) * message_seconds +
      2 * static_cast<double>(facts.digest.file_pieces) / realms * prices.datatype_piece_seconds;
  return by_alltoallw < by_messages ? ExchangeStrategy::alltoallw : ExchangeStrategy::messages;
}

}  // namespace concilio
