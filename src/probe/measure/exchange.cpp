// Measures moving data between ranks: through memory that a node shares, and by messages between nodes.
#include <algorithm>
#include <cstring>

#include "base/median.h"
#include "probe/measure/sampler.h"
#include "probe/measure/session.h"

namespace concilio::probe {

namespace {

constexpr int64_t message_sizes[] = {8, 512, 4096, 32768, 131072, 512 << 10, 1 << 20, 4 << 20};
constexpr int64_t shared_sizes[] = {4096, 65536, 1 << 20};
constexpr int64_t stream_bytes = 1 << 20;
constexpr int stream_messages = 8;
constexpr int shared_batches = 20;

// What the other side is told to do.
struct MessageOrder {
  int64_t count;  // 0: no more
  int64_t bytes;
  int64_t streams;
};

// One turn: a message there and back; or, if `streams` is set, several messages there and a short one back.
void turn(MPI_Comm comm, bool begins, const MessageOrder& order, std::byte* data) {
  const int other = begins ? 1 : 0, bytes = static_cast<int>(order.bytes);
  if (!order.streams) {
    if (begins) PMPI_Send(data, bytes, MPI_BYTE, other, 0, comm);
    PMPI_Recv(data, bytes, MPI_BYTE, other, 0, comm, MPI_STATUS_IGNORE);
    if (!begins) PMPI_Send(data, bytes, MPI_BYTE, other, 0, comm);
    return;
  }
  MPI_Request requests[stream_messages];
  for (int i = 0; i < stream_messages; ++i) {
    std::byte* part = data + i * order.bytes;
    if (begins)
      PMPI_Isend(part, bytes, MPI_BYTE, other, 0, comm, &requests[i]);
    else
      PMPI_Irecv(part, bytes, MPI_BYTE, other, 0, comm, &requests[i]);
  }
  PMPI_Waitall(stream_messages, requests, MPI_STATUSES_IGNORE);
  if (begins)
    PMPI_Recv(data, 1, MPI_BYTE, other, 1, comm, MPI_STATUS_IGNORE);
  else
    PMPI_Send(data, 1, MPI_BYTE, other, 1, comm);
}

void give(MPI_Comm comm, MessageOrder order) {
  PMPI_Send(&order, sizeof order, MPI_BYTE, 1, 2, comm);
}

// Rank 0 of the leaders leads, and rank 1 does what it is told.
Status measure_messages(Session& session, double seconds) {
  MPI_Comm comm = session.team.leaders();
  std::byte* data = session.buffer.data();  // at least 8 MiB
  if (session.team.node() == 1) {
    for (;;) {
      MessageOrder order;
      PMPI_Recv(&order, sizeof order, MPI_BYTE, 0, 2, comm, MPI_STATUS_IGNORE);
      if (order.count == 0) return {};
      for (int64_t i = 0; i < order.count; ++i) turn(comm, false, order, data);
    }
  }
  const auto measure = [&](int64_t bytes, bool streams) {
    return seconds_of_one(seconds / (1 + std::size(message_sizes)), [&](int64_t count) -> Status {
      const MessageOrder order{count, bytes, streams};
      give(comm, order);
      for (int64_t i = 0; i < count; ++i) turn(comm, true, order, data);
      return {};
    });
  };
  for (const int64_t bytes : message_sizes) {
    const auto both_ways = measure(bytes, false);
    if (both_ways) session.found[Quantity::message].push_back({static_cast<double>(bytes), *both_ways / 2});
  }
  if (const auto stream = measure(stream_bytes, true); stream)
    session.found[Quantity::message_stream] = {
        {static_cast<double>(stream_bytes), static_cast<double>(stream_messages * stream_bytes) / *stream}};
  give(comm, {0, 0, 0});
  return {};
}

struct Longest {
  double seconds;
};
Longest combine(const Longest& a, const Longest& b) {
  return {std::max(a.seconds, b.seconds)};
}

// One rank of a node fills memory and another one copies it: bytes that are in the cache of another core.
Status measure_shared(Session& session) {
  mpi::Team& team = session.team;
  if (team.nodes()[0].ranks < 2) return {};
  auto segment = team.segment(shared_sizes[std::size(shared_sizes) - 1]);
  if (Status all = agree_at_rest(team, segment ? Status() : segment.error()); !all) return all;
  for (const int64_t bytes : shared_sizes) {
    std::vector<double> seconds;
    for (int i = 0; i < shared_batches; ++i) {
      if (team.local_rank() == 0) std::memset(*segment, i, static_cast<size_t>(bytes));
      team.node_barrier();
      if (team.local_rank() == 1) {
        const double begin = now_seconds();
        std::memcpy(session.buffer.data(), *segment, static_cast<size_t>(bytes));
        seconds.push_back(std::max(now_seconds() - begin, 1e-9));
      }
      team.node_barrier();
    }
    Longest taken{team.node() == 0 && !seconds.empty() ? median(seconds) : 0};
    wait_for_all(team);
    team.allreduce(taken);
    session.found[Quantity::node_copy].push_back({static_cast<double>(bytes), taken.seconds});
  }
  return {};
}

}  // namespace

Status measure_exchange(Session& session) {
  mpi::Team& team = session.team;
  if (Status status = measure_shared(session); !status) return status;
  if (team.nodes().size() > 1 && team.local_rank() == 0 && team.node() < 2)
    return measure_messages(session, session.seconds);
  return {};
}

}  // namespace concilio::probe
