// Measures how the throughput of one file grows with the number of ranks that use it at the same time, on one
// node and on all nodes; and how it grows with the size of the requests of all aggregators together.
#include <algorithm>

#include "base/median.h"
#include "probe/derive/derive.h"
#include "probe/measure/places.h"
#include "probe/measure/sampler.h"
#include "probe/measure/session.h"

namespace concilio::probe {

namespace {

constexpr int most_slices = 3;
// The least number of requests that each client makes in a slice. With fewer, the result would depend on when
// the last request ends.
constexpr int least_requests = 10;
// On slow storage, making that many requests may take this many times the slice's time.
constexpr double most_overtime = 6;
constexpr int64_t group_sizes[] = {64 << 10, 256 << 10, 1 << 20, 4 << 20};

struct Load {
  Operation operation;
  int64_t bytes;
  Places::Order order;
};

// What the clients moved in a slice, and how long the last of them took.
struct Moved {
  double bytes, seconds;
};
Moved combine(const Moved& a, const Moved& b) {
  return {a.bytes + b.bytes, std::max(a.seconds, b.seconds)};
}

// Each rank uses its own part of the file.
Places places_of(Session& session, const Load& load) {
  const int64_t part = session.file_bytes / session.team.size() / load.bytes * load.bytes;
  const int64_t room = std::max(part, load.bytes);
  const int64_t begin = std::min(session.team.rank() * room, session.file_bytes - room);
  return Places(load.order, load.bytes, std::max<int64_t>(begin, 0), room, session.buffer);
}

// Moves data by one rank for that time, or longer until it has made enough requests.
Result<Moved> move(Session& session, const Load& load, Places& places, double seconds) {
  const Batch batch = requests_at(places.slots(), load.operation, session);
  double begin = now_seconds(), now = begin, bytes = 0;
  int64_t requests = 0;
  do {
    // The time goes on from where it was.
    if (batch.before && requests % batch.most == 0 && requests > 0) {
      if (Status status = batch.before(); !status) return status.error();
      begin += now_seconds() - now;
    }
    const store::Transfer transfer = places.next();
    if (load.operation == Operation::write) {
      if (Status status = session.file->write(transfer); !status) return status.error();
    } else if (auto got = session.file->read(transfer); !got) {
      return got.error();
    }
    bytes += static_cast<double>(load.bytes);
    ++requests;
    now = now_seconds();
  } while (now < begin + seconds || (requests < least_requests && now < begin + most_overtime * seconds));
  return Moved{bytes, now - begin};
}

// The throughput of all active ranks together. Collective. A failure on this rank is kept in `status`, and
// the rank continues to wait for the others.
double rate_of(Session& session, const Load& load, bool active, double seconds, Status& status) {
  std::vector<double> rates;
  Places places = places_of(session, load);
  const Batch batch = requests_at(places.slots(), load.operation, session);
  for (double spent = 0; rates.size() < most_slices && spent < 0.9 * seconds;) {
    // All of them before the first request, as each also forgets what others of its node have read.
    if (active && status.ok() && batch.before) status = batch.before();
    wait_for_all(session.team);
    Moved moved{0, 0};
    if (active && status.ok()) {
      auto mine = move(session, load, places, seconds / most_slices);
      if (mine)
        moved = *mine;
      else
        status = mine.error();
    }
    wait_for_all(session.team);
    session.team.allreduce(moved);
    rates.push_back(moved.bytes / std::max(moved.seconds, 1e-9));
    // The time counts even if all ranks have failed, so that the loop ends.
    spent += std::max(moved.seconds, seconds / most_slices);
  }
  return median(rates);
}

// Returns 1, 2, 4, ... and `most`.
std::vector<int> counts_up_to(int most) {
  std::vector<int> counts;
  for (int count = 1; count < most; count *= 2) counts.push_back(count);
  counts.push_back(most);
  return counts;
}

// This rank's place in an order in which the first ranks are spread over as many nodes as possible.
int place_over_nodes(const mpi::Team& team) {
  int before = 0;
  for (size_t n = 0; n < team.nodes().size(); ++n) {
    const int ranks = team.nodes()[n].ranks;
    before += std::min(ranks, team.local_rank());
    if (static_cast<int>(n) < team.node() && ranks > team.local_rank()) ++before;
  }
  return before;
}

struct Row {
  Quantity quantity;
  Load load;
};
// In all rows the requests lie apart, for a single client as for several, because the planner divides the
// price of such a request by the factor that several clients gain.
constexpr Row all_rows[] = {
    {Quantity::read_clients_small, {Operation::read, 4096, Places::Order::apart}},
    {Quantity::write_clients_small, {Operation::write, 4096, Places::Order::apart}},
    {Quantity::read_clients_large, {Operation::read, 1 << 20, Places::Order::apart}},
    {Quantity::write_clients_large, {Operation::write, 1 << 20, Places::Order::apart}}};
constexpr Row node_rows[] = {
    {Quantity::read_node_clients, {Operation::read, 1 << 20, Places::Order::apart}},
    {Quantity::write_node_clients, {Operation::write, 1 << 20, Places::Order::apart}}};

}  // namespace

Status measure_clients(Session& session) {
  const mpi::Team& team = session.team;
  const int of_node = team.nodes()[0].ranks;
  const bool several_nodes = team.nodes().size() > 1;
  const auto all_counts = counts_up_to(team.size()), node_counts = counts_up_to(of_node);
  const double parts = static_cast<double>(std::size(all_rows) * all_counts.size() +
                                           (several_nodes ? std::size(node_rows) * node_counts.size() : 0));
  const double seconds = session.seconds / parts;
  Status status;
  const int place = place_over_nodes(team);
  for (const Row& row : all_rows) {
    for (const int count : all_counts) {
      const double rate = rate_of(session, row.load, place < count, seconds, status);
      session.found[row.quantity].push_back({static_cast<double>(count), rate});
    }
  }
  for (const Row& row : node_rows) {
    if (!several_nodes) {
      session.found[row.quantity] =
          session.found[row.load.operation == Operation::read ? Quantity::read_clients_large
                                                              : Quantity::write_clients_large];
      continue;
    }
    for (const int count : node_counts) {
      const bool active = team.node() == 0 && team.local_rank() < count;
      const double rate = rate_of(session, row.load, active, seconds, status);
      session.found[row.quantity].push_back({static_cast<double>(count), rate});
    }
  }
  return status;
}

Status measure_groups(Session& session) {
  const mpi::Team& team = session.team;
  // All ranks have the same samples of clients, so all compute the same number. If the samples do not tell,
  // every rank is an aggregator.
  const int64_t enough = aggregators_per_node(session.found);
  const int64_t of_node = enough > 0 ? enough : team.nodes()[0].ranks;
  int64_t aggregators = 0;
  for (const mpi::Team::Node& node : team.nodes()) aggregators += std::min<int64_t>(of_node, node.ranks);
  const double seconds = session.seconds / (2 * std::size(group_sizes));
  Status status;
  for (const Operation operation : {Operation::read, Operation::write}) {
    for (const int64_t bytes : group_sizes) {
      if (bytes > session.file_bytes) break;
      const Load load{operation, bytes, Places::Order::adjoining};
      const double rate = rate_of(session, load, team.local_rank() < of_node, seconds, status);
      session.found[operation == Operation::read ? Quantity::read_group : Quantity::write_group].push_back(
          {static_cast<double>(aggregators * bytes), rate});
    }
  }
  return status;
}

}  // namespace concilio::probe
