#include "plan/choose/cost.h"

#include <algorithm>

#include "plan/choose/shared_stripes.h"
#include "plan/facts/logarithm.h"

namespace concilio::plan {
namespace {

// The additional cost of a request that does not begin where the client's last one ended.
double jump_seconds(const RequestPrices& requests) {
  return std::max(0.0, requests.scattered.at(0) - requests.adjoining.at(0));
}

// The part of the pieces that do not begin in the page of a cache, or the sectors of a device, where the one
// before ended. A request for one that does costs as if it adjoined that one.
double part_apart(const Facts& facts, double pieces) {
  constexpr double page_bytes = 4096;
  const double apart = ranks_at_work(facts) + static_cast<double>(facts.digest.span) / page_bytes;
  return std::min(1.0, apart / std::max(1.0, pieces));
}

// Whether what is read was probably in a cache that the cores of a node share when it was written or last
// read, and stays there beside what is made of it. Measured with 32 MiB of cache: up to as much, all methods
// took a third to a sixth of the time that the same bytes take from memory, but mapping half of it. If they
// come from memory after all, that adds the same to every method.
bool reads_cache(const Facts& facts, const Prices& prices) {
  constexpr double cache_bytes = 32 << 20;
  if (facts.operation != Operation::read || !prices.from_memory) return false;
  const double nodes = static_cast<double>(std::max<size_t>(1, facts.nodes.size()));
  const double range_bytes = static_cast<double>(facts.digest.end - facts.digest.first);
  return range_bytes + static_cast<double>(facts.digest.bytes) <= cache_bytes * nodes;
}

}  // namespace

double Cost::seconds() const {
  double sum = 0;
  for (const Term& term : terms()) sum += term.seconds;
  return sum;
}

double Cost::seconds_of(std::string_view term) const {
  double seconds = 0;
  for (const Term& one : terms()) {
    if (one.name == term) seconds += one.seconds;
  }
  return seconds;
}

void Cost::take_together(std::span<const std::string_view> names, double seconds) {
  double before = 0;
  for (const std::string_view name : names) before += seconds_of(name);
  if (before <= 0) return;
  for (Term& term : std::span(terms_).first(count_)) {
    if (std::ranges::find(names, term.name) != names.end()) term.seconds *= seconds / before;
  }
}

bool Cost::includes(const Cost& other) const {
  return std::ranges::all_of(other.terms(),
                             [&](const Term& term) { return seconds_of(term.name) >= term.seconds; });
}

double first_use_seconds(int64_t bytes) {
  constexpr double page_bytes = 4096, page_seconds = 1e-6;  // measured on a virtual machine
  return static_cast<double>(bytes) / page_bytes * page_seconds;
}

double ranks_at_work(const Facts& facts) {
  return static_cast<double>(std::max<int64_t>(1, facts.digest.ranks_with_data));
}

double cores_at_work(const Facts& facts) {
  const double nodes = static_cast<double>(std::max<size_t>(1, facts.nodes.size()));
  return std::min(ranks_at_work(facts),
                  nodes * static_cast<double>(std::max<int64_t>(1, facts.cores_per_node)));
}

double ranks_per_core(const Facts& facts) {
  const double cores = static_cast<double>(std::max<int64_t>(1, facts.cores_per_node));
  return std::max(1.0, static_cast<double>(most_ranks_of_node(facts)) / cores);
}

double together(const Facts& facts, double clients, double request_bytes, const Prices& prices) {
  clients = std::max(1.0, clients);
  const double most = prices.from_memory ? cores_at_work(facts) : clients;
  return std::min(std::max(1.0, most), speedup(prices.of(facts.operation), clients, request_bytes));
}

double moving_together(const Facts& facts, double clients, double request_bytes, const Prices& prices) {
  return together(facts, clients,
                  prices.of_target ? std::max(request_bytes, large_request_bytes) : request_bytes, prices);
}

// Measured prices have it in them that several targets serve a request.
double targets_of_request(const Facts& facts, double request_bytes) {
  const StorageFacts& storage = facts.storage;
  if (!prices_of(facts).of_target || storage.stripe_targets < 2 || storage.stripe_bytes <= 0) return 1;
  return std::clamp(request_bytes / static_cast<double>(storage.stripe_bytes), 1.0,
                    static_cast<double>(storage.stripe_targets));
}

double moving_seconds(const Facts& facts, double seconds, double bytes, double cores, const Prices& prices) {
  return reads_cache(facts, prices) ? std::min(seconds, bytes / prices.window_bytes_per_second / cores)
                                    : seconds;
}

double copy_seconds(const Facts& facts, double bytes, double pieces, const Prices& prices) {
  pieces = std::max(1.0, pieces);
  const RequestSeconds one(prices.copy, bytes / pieces);
  const double cores = cores_at_work(facts);
  return pieces * one.latency / cores +
         moving_seconds(facts, pieces * one.of_bytes / cores, bytes, cores, prices);
}

double sorting_seconds(const Facts& facts, double bytes, const Prices& prices) {
  if (bytes <= 0) return 0;
  const double all_bytes = static_cast<double>(facts.digest.bytes);
  const double piece_bytes = all_bytes / std::max(1.0, largest_piece_count(facts));
  return bytes / piece_bytes * prices.copy.at(piece_bytes);
}

RequestSeconds::RequestSeconds(const Curve& curve, double bytes)
    : latency(curve.at(0)), of_bytes(std::max(0.0, curve.at(bytes) - latency)) {}

double round_seconds(const Facts& facts, const Prices& prices) {
  const int64_t ranks = most_ranks_of_node(facts);
  const int64_t cores = std::max<int64_t>(1, facts.cores_per_node);
  const double of_one =
      ranks > cores ? prices.oversubscribed_seconds / static_cast<double>(cores) : prices.synchronise_seconds;
  return static_cast<double>(ranks) * of_one;
}

double largest_piece_count(const Facts& facts) {
  return static_cast<double>(std::max(facts.digest.file_pieces, facts.digest.memory_pieces));
}

void add_agreements(const Facts& facts, const Prices& prices, Cost& cost) {
  if (!facts.collective) return;
  double seconds = 2 * round_seconds(facts, prices);
  if (facts.nodes.size() > 1)
    seconds += 2 * binary_logarithm(static_cast<double>(facts.nodes.size())) * prices.message.at(0);
  cost.add("agreement", seconds);
}

namespace {

bool is_scattered_in_memory(const Digest& digest) {
  return digest.memory_pieces > digest.file_pieces;
}

// Whether what is scattered in memory is copied to a buffer for its requests, as that takes less time than to
// name every piece of memory to the system, or as no request can reach the memory.
bool passes_a_buffer(const Digest& digest) {
  const bool one_stretch_a_rank = digest.file_pieces <= digest.ranks_with_data;
  return digest.staging_bytes > 0 ||
         (one_stretch_a_rank && digest.bytes / std::max<int64_t>(1, digest.memory_pieces) < pack_below_bytes);
}

// What it takes the system to go from one piece of memory to the next within a request. Measured by preadv
// with pieces of 64 B, on ext4 and tmpfs: 20 to 40 ns each besides their bytes.
double vector_seconds(const Facts& facts) {
  constexpr double seconds_a_piece = 30e-9;
  if (!is_scattered_in_memory(facts.digest) || passes_a_buffer(facts.digest)) return 0;
  return static_cast<double>(facts.digest.memory_pieces) * seconds_a_piece / cores_at_work(facts);
}

}  // namespace

Cost cost_of_pieces(const Facts& facts, double pieces, double pieces_of_one, const Prices& prices) {
  const RequestPrices& requests = prices.of(facts.operation);
  const double bytes = static_cast<double>(facts.digest.bytes);
  const double mean_bytes = bytes / std::max(1.0, pieces);
  RequestSeconds one(requests.scattered, mean_bytes);
  one.latency -= (1 - part_apart(facts, pieces)) * jump_seconds(requests);
  const double of_one = seconds_of_one(facts.operation, pieces_of_one, prices);
  // A rank with many requests under way keeps storage as busy as several ranks with one request each.
  const double clients = ranks_at_work(facts) * std::max(1.0, one.latency / of_one);
  Cost cost;
  add_agreements(facts, prices, cost);
  cost.add("requests", std::max(pieces * one.latency / together(facts, clients, mean_bytes, prices),
                                pieces_of_one * std::min(of_one, one.latency)) +
                           vector_seconds(facts));
  const double bytes_of_one = static_cast<double>(facts.digest.max_rank_bytes);
  const double targets = targets_of_request(facts, mean_bytes);
  const double at_once = moving_together(facts, ranks_at_work(facts) * targets, mean_bytes, prices);
  const double of_bytes = std::max(pieces * one.of_bytes / at_once,
                                   bytes_of_one / std::max(1.0, mean_bytes) * one.of_bytes / targets);
  cost.add("storage",
           moving_seconds(facts, of_bytes, std::max(bytes, bytes_of_one * at_once), at_once, prices));
  if (const double taken = seconds_of_taken_stripes(facts, pieces); taken > 0)
    cost.add("stripe locks", taken);
  if (is_scattered_in_memory(facts.digest) && passes_a_buffer(facts.digest))
    cost.add("copies", copy_seconds(facts, bytes, static_cast<double>(facts.digest.memory_pieces), prices));
  return cost;
}

FlushCost transferred(double windows, double bytes, double jumps, const RequestPrices& requests) {
  const RequestSeconds one(requests.window, bytes / std::max(1.0, windows));
  return {windows * one.latency + jumps * jump_seconds(requests), windows * one.of_bytes};
}

FlushCost rewritten(double windows, double bytes, double jumps, const Prices& prices) {
  const FlushCost read = transferred(windows, bytes, jumps, prices.read);
  const FlushCost write = transferred(windows, bytes, jumps, prices.write);
  return {read.request_seconds + write.request_seconds, read.byte_seconds + write.byte_seconds};
}

ExchangeStrategy choose_exchange(const Facts& facts, const Layout& layout, const Prices& prices) {
  const bool travels = std::any_of(layout.groups.begin(), layout.groups.end(),
                                   [](const Group& group) { return group.nodes.size() > 1; });
  if (layout.exchange == ExchangeStrategy::descriptions) return layout.exchange;
  const ExchangeWish wish = facts.wishes.exchange;
  if (!travels || wish == ExchangeWish::images) return ExchangeStrategy::images;
  if (wish == ExchangeWish::alltoallw || facts.wishes.alltoallw == Choice3::enable)
    return ExchangeStrategy::alltoallw;
  if (facts.wishes.alltoallw == Choice3::disable) return ExchangeStrategy::images;
  // With MPI_Alltoallw the leaders of all groups would wait for each other.
  if (layout.groups.size() > 1) return ExchangeStrategy::images;
  // With messages an aggregator receives one from each node for each window, and copies the bytes on.
  // MPI_Alltoallw saves the copy; but in every round of any group each leader exchanges with every other one
  // three times, and MPI goes through the pieces one by one.
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
  return by_alltoallw < by_messages ? ExchangeStrategy::alltoallw : ExchangeStrategy::images;
}

}  // namespace concilio::plan
