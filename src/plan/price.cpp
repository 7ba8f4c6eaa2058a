#include "plan/price.h"

#include <fmt/format.h>

#include <algorithm>

#include "plan/footprint.h"
#include "plan/methods.h"
#include "plan/spans.h"
#include "plan/two_phase.h"
#include "plan/windows.h"

namespace concilio {
namespace {

// Measured on a 2-core machine with a warm page cache: a request of a few bytes takes 1 us, long ones move
// 5e9 B/s; one core copies 6e9 B/s, and a piece of a fused copy costs 4 ns besides its bytes. Buffered
// writers to one file take turns at its inode lock; readers do not. A futex round costs 3 us a rank, 15 us
// where ranks wait for cores. A small write among many in places apart takes 3 us, at once (io_uring) 8 to
// 17: each is handed to a thread of the kernel, and these take turns at the lock. Cached reads take as long
// either way. A page that one rank maps costs 0.2 us to be read; to be written 2 to 6 us in a file that is
// new, which ext4 notes in its journal, and 0.5 us in one that has the page. Several aggregators at once: a
// piece takes 6 us, and a window of 1 MiB, which is in cache, some 100 us to be read and written; the two are
// even where pieces begin 64 KiB apart (bench/figures, sieving).
constexpr Prices local_prices = {.request_seconds = 1e-6,
                                 .window_bytes_per_second = 20e9,
                                 .window_piece_seconds = 6e-6,
                                 .scattered_write_seconds = 3e-6,
                                 .storage_bytes_per_second = 5e9,
                                 .parallel_streams = 64,
                                 .parallel_writers = 1,
                                 .reads_at_once = {1, 0},
                                 .writes_at_once = {1, 7e-6},
                                 .from_memory = true,
                                 .lock_seconds = 1e-6,
                                 .copy_bytes_per_second = 6e9,
                                 .piece_seconds = 4e-9,
                                 .synchronise_seconds = 3e-6,
                                 .oversubscribed_seconds = 15e-6,
                                 // TCP between hosts of one rack, the least that clusters have.
                                 .message_seconds = 20e-6,
                                 .network_bytes_per_second = 1e9,
                                 .map_seconds = 15e-6,
                                 .map_read_page_seconds = 0.2e-6,
                                 .map_write_page_seconds = 4e-6,
                                 // An MPI datatype of many small blocks, packed or unpacked.
                                 .datatype_piece_seconds = 20e-9};

// tmpfs maps page by page, and fills new ones with zeros first.
Prices memory_prices() {
  Prices prices = local_prices;
  prices.map_read_page_seconds = 0.5e-6;
  prices.map_write_page_seconds = 2.6e-6;
  return prices;
}

// A request is a round trip to a server: 100-300 us measured on a distributed file system under FUSE, which
// moved 340 MB/s of writes and took as long for a lock as for a request. Reads at once took a third to all of
// the time. Buffered writes to one file that do not end at once Linux gives to one thread, whatever the file
// system: they took as long at once as in turn.
Prices remote_prices(double request_seconds, double streams) {
  Prices prices = local_prices;
  prices.request_seconds = prices.scattered_write_seconds = request_seconds;
  prices.window_piece_seconds = request_seconds;
  prices.lock_seconds = 300e-6;
  prices.storage_bytes_per_second = prices.window_bytes_per_second = 5e8;
  prices.parallel_streams = prices.parallel_writers = streams;
  prices.reads_at_once = {2, 5e-6};
  prices.writes_at_once = {1, 10e-6};
  prices.from_memory = false;
  return prices;
}

// Assumed: servers that a file is spread over where the file system does not say.
constexpr double assumed_targets = 4;
// Assumed: requests that one file server takes at once.
constexpr double network_streams = 2;

double ranks_at_work(const Facts& facts) {
  return static_cast<double>(std::max<int64_t>(1, facts.digest.ranks_with_data));
}

// Cores that the ranks keep busy together.
double cores_at_work(const Facts& facts) {
  const double nodes = static_cast<double>(std::max<size_t>(1, facts.nodes.size()));
  return std::min(ranks_at_work(facts),
                  nodes * static_cast<double>(std::max<int64_t>(1, facts.cores_per_node)));
}

// How many of `clients` storage serves at the same time.
double streams(const Facts& facts, double clients, const Prices& prices) {
  double most = facts.operation == Operation::read ? prices.parallel_streams : prices.parallel_writers;
  if (prices.from_memory) most = std::min(most, cores_at_work(facts));
  return std::max(1.0, std::min(clients, most));
}

// Bytes copied in memory, in `pieces` pieces, by all ranks side by side.
double copy_seconds(const Facts& facts, double bytes, double pieces, const Prices& prices) {
  return (bytes / prices.copy_bytes_per_second + pieces * prices.piece_seconds) / cores_at_work(facts);
}

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

// Every piece of the file a request of its own: what all ask for together, but no less than the largest rank
// takes.
Cost cost_of_pieces(const Facts& facts, double pieces, double pieces_of_one, const Prices& prices) {
  const double at_once = streams(facts, ranks_at_work(facts), prices);
  const double bytes = static_cast<double>(facts.digest.bytes);
  const double bytes_of_one = static_cast<double>(facts.digest.max_rank_bytes);
  Cost cost;
  // A rank with many requests under way keeps storage as busy as several with one.
  const double of_one = seconds_of_one(facts.operation, pieces_of_one, prices);
  const double clients = ranks_at_work(facts) * prices.request_seconds / of_one;
  cost.terms.push_back(
      {"requests",
       std::max(pieces / streams(facts, clients, prices) * prices.request_seconds, pieces_of_one * of_one)});
  cost.terms.push_back(
      {"storage", std::max(bytes / at_once, bytes_of_one) / prices.storage_bytes_per_second});
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

// What the windows of a two-phase call cost storage.
FlushCost traffic_of(const Facts& facts, const Plan& layout, const Prices& prices) {
  double windows = 0;
  WindowShape all{0, facts.digest.bytes, facts.digest.file_pieces, 0};
  for (const Realm& realm : layout.realms) {
    all.range_bytes += realm.bytes;
    windows += std::max(static_cast<double>(rounds_of(realm)), requests_of(realm));
  }
  if (facts.operation == Operation::read || all.covered_bytes >= all.range_bytes) {
    return {windows * prices.request_seconds, static_cast<double>(all.range_bytes)};
  }
  return cheapest_flush(all, windows, prices);
}

}  // namespace

Prices prices_for(const StorageFacts& storage) {
  switch (storage.kind) {
    case StorageFacts::Kind::local:
      return local_prices;
    case StorageFacts::Kind::memory:
      return memory_prices();
    case StorageFacts::Kind::network:
      return remote_prices(300e-6, network_streams);
    case StorageFacts::Kind::parallel:
      return remote_prices(
          200e-6, storage.stripe_targets > 0 ? static_cast<double>(storage.stripe_targets) : assumed_targets);
    case StorageFacts::Kind::unknown:
      break;
  }
  // Dear enough for few large requests, whatever it turns out to be.
  return remote_prices(50e-6, network_streams);
}

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

Cost cost_of_independent(const Facts& facts, const Plan&, const Prices& prices) {
  return cost_of_pieces(facts, static_cast<double>(facts.digest.ranks_with_data), 1, prices);
}

Cost cost_of_list(const Facts& facts, const Plan&, const Prices& prices) {
  return cost_of_pieces(facts, static_cast<double>(facts.digest.file_pieces),
                        static_cast<double>(facts.digest.max_rank_file_pieces), prices);
}

Cost cost_of_sieve(const Facts& facts, const Plan&, const Prices& prices) {
  const Digest& digest = facts.digest;
  const bool writes = facts.operation == Operation::write;
  const double span = static_cast<double>(digest.span);
  const double buffers = span / static_cast<double>(sieve_buffer_bytes(facts)) + ranks_at_work(facts);
  // Writers whose spans overlap wait for each other's locks.
  const bool take_turns = writes && span > static_cast<double>(digest.end - digest.first);
  const double at_once = take_turns ? 1 : streams(facts, ranks_at_work(facts), prices);
  const double times = writes ? 2 : 1;
  Cost cost;
  cost.terms.push_back({"requests", times * buffers * prices.request_seconds / at_once});
  cost.terms.push_back({"storage", times * span / prices.storage_bytes_per_second / at_once});
  if (writes) cost.terms.push_back({"locks", buffers * prices.lock_seconds / at_once});
  cost.terms.push_back(
      {"copies", copy_seconds(facts, static_cast<double>(digest.bytes), largest_piece_count(facts), prices)});
  return cost;
}

Cost cost_of_two_phase(const Facts& facts, const Plan& layout, const Prices& prices) {
  const FlushCost traffic = traffic_of(facts, layout, prices);
  const double realms = static_cast<double>(layout.realms.size());
  const double at_once = streams(facts, realms, prices);
  const double rounds = static_cast<double>(layout.rounds);
  const double bytes = static_cast<double>(facts.digest.bytes);
  const double nodes = static_cast<double>(facts.nodes.size());
  Cost cost;
  // The histogram of the call, agreed on by all ranks before it starts.
  cost.terms.push_back({"setup", round_seconds(facts, prices) + (nodes > 1 ? prices.message_seconds : 0)});
  cost.terms.push_back({"requests", traffic.request_seconds / at_once});
  cost.terms.push_back({"storage", traffic.bytes / prices.storage_bytes_per_second / at_once});
  cost.terms.push_back({"copies", copy_seconds(facts, bytes, largest_piece_count(facts), prices)});
  cost.terms.push_back({"synchronisation", rounds * round_seconds(facts, prices)});
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
  if (nodes > 1) {
    cost.terms.push_back({"messages", messages * prices.message_seconds});
    cost.terms.push_back({"network", network / prices.network_bytes_per_second});
  }
  return cost;
}

bool maps_by_piece(double bytes, double pieces, double span) {
  // A piece is a mapping of its own, at the price of some fifty pages, and begins and ends within pages.
  constexpr double page_bytes = map_page_bytes;
  return bytes / page_bytes + pieces * 50 < span / page_bytes;
}

// Measured with 2 and 4 ranks on 2 cores: they count themselves in at the same pages, one after another.
constexpr double shared_page_seconds = 0.6e-6;

Cost cost_of_mapped(const Facts& facts, const Plan&, const Prices& prices) {
  const Digest& digest = facts.digest;
  const double bytes = static_cast<double>(digest.bytes), pieces = static_cast<double>(digest.file_pieces);
  const double span = static_cast<double>(digest.span);
  const bool by_piece = maps_by_piece(bytes, pieces, span);
  const double stretches = by_piece ? pieces : ranks_at_work(facts);
  const double mapped_bytes = by_piece ? bytes : span;
  const double windows = stretches + mapped_bytes / static_cast<double>(map_window_bytes);
  const double pages = stretches + mapped_bytes / static_cast<double>(map_page_bytes);
  // The first of all ranks that has a page gives it space. Each pays for the company where others have it too.
  const double distinct = std::min(
      pages, 1 + static_cast<double>(digest.end - digest.first) / static_cast<double>(map_page_bytes));
  const double shared = pages - distinct > 0.1 * pages ? pages : 0;
  const double first_seconds = facts.operation == Operation::read ? pages * prices.map_read_page_seconds
                                                                  : distinct * prices.map_write_page_seconds;
  Cost cost;
  cost.terms.push_back({"mappings", windows * prices.map_seconds / cores_at_work(facts)});
  cost.terms.push_back({"pages", (first_seconds + shared * shared_page_seconds) / cores_at_work(facts)});
  cost.terms.push_back({"copies", copy_seconds(facts, bytes, largest_piece_count(facts), prices)});
  return cost;
}

ExchangeStrategy choose_exchange(const Facts& facts, const Plan& layout, const Prices& prices) {
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
  const double by_messages =
      in_window * prices.message_seconds + sent / realms / prices.copy_bytes_per_second;
  const double by_alltoallw =
      3 * rounds * (nodes - 1) * prices.message_seconds +
      2 * static_cast<double>(facts.digest.file_pieces) / realms * prices.datatype_piece_seconds;
  return by_alltoallw < by_messages ? ExchangeStrategy::alltoallw : ExchangeStrategy::messages;
}

double price(Method method, const Facts& facts, const Prices& prices) {
  if (facts.digest.bytes <= 0) return 0;
  Plan layout;
  if (method == Method::two_phase) lay_out_two_phase(facts, file_spans(facts), layout);
  return method_row(method).cost(facts, layout, prices).seconds();
}

std::string format_seconds(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} us", seconds * 1e6);
}

}  // namespace concilio
