// What the forms of exchange between nodes have in common: who sends and receives for a node, by which tags
// messages are told apart, and how they are started and counted.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/counters.h"
#include "mpi/error.h"
#include "mpi/nodes/team.h"
#include "plan/layout/clusters.h"
#include "plan/plan.h"

namespace concilio::exec {

// The rank of a node that sends and receives what belongs to a realm of another node.
inline int carrier_of(const mpi::Team& team, size_t realm, int node) {
  const auto& candidates = team.nodes()[static_cast<size_t>(node)].candidates;
  return candidates[realm % candidates.size()];
}

// The rank of a relay's node that acts as the relay (plan/layout/clusters.h). Where there are several ranks
// that all nodes know, it is seldom the one that aggregates.
inline int relay_rank(const mpi::Team& team, int node) {
  return team.nodes()[static_cast<size_t>(node)].candidates.back();
}
// The rank of a node that sends to, or receives from, a relay; the relay itself on its own node.
inline int carrier_to_relay(const mpi::Team& team, int relay, int node) {
  return relay == node ? relay_rank(team, relay) : carrier_of(team, static_cast<size_t>(relay), node);
}
// The realms of which this rank is the relay, ascending.
inline std::vector<size_t> realms_relayed_by(const mpi::Team& team, const plan::Plan& plan,
                                             const plan::Group& group) {
  std::vector<size_t> realms;
  if (plan.combined_nodes < 2 || team.rank() != relay_rank(team, team.node())) return realms;
  for (int i = group.first_realm; i < group.end_realm; ++i) {
    const auto realm = static_cast<size_t>(i);
    if (relay_of(plan, group, realm, team.node()) == team.node()) realms.push_back(realm);
  }
  return realms;
}

// Data of a realm's windows; what a node wants to read of them; and what ranks ask for, told beforehand.
inline int data_tag(size_t realm) {
  return static_cast<int>(realm % 16000) * 2;
}
inline int wish_tag(size_t realm) {
  return data_tag(realm) + 1;
}
// No realm's messages have these: descriptions for an aggregator and for a relay; data between a relay and
// its cluster.
inline constexpr int description_tag = 32000, relay_description_tag = 32001, relay_tag = 32002;

// A message: its address, its length, the other rank, and its tag.
struct Message {
  std::byte* data;
  int64_t bytes;
  int peer;
  int tag;
};

// Flow control. MPI completes a short send as soon as it has copied the message, and keeps it at the receiver
// until somebody receives it. So a rank that only sends would go through all rounds at once, and fill the
// memory of one that is slower, as aggregators are that wait for storage. A synchronous send is complete when
// its receive is posted. Since what it is sent from is used again only then, a sender is at most two rounds
// ahead of its receivers.
enum class SendMode { standard, synchronous };
// No buffer of the last two rounds is used again, so calls of one or two rounds cost nothing more.
inline SendMode mode_of_round(int64_t round, int64_t rounds) {
  return round + 2 < rounds ? SendMode::synchronous : SendMode::standard;
}

// Each adds a request to `requests`, which has room for it.
inline Status start_send(const mpi::Team& team, Counters& counters, const Message& message,
                         std::vector<MPI_Request>& requests, SendMode mode = SendMode::standard) {
  ++counters[Counter::messages_sent];
  counters[Counter::message_bytes_sent] += message.bytes;
  requests.push_back(MPI_REQUEST_NULL);
  const auto send = mode == SendMode::synchronous ? PMPI_Issend : PMPI_Isend;
  return mpi::checked_mpi(send(message.data, static_cast<int>(message.bytes), MPI_BYTE, message.peer,
                               message.tag, team.comm(), &requests.back()),
                          "sending between nodes");
}
inline Status start_receive(const mpi::Team& team, const Message& message,
                            std::vector<MPI_Request>& requests) {
  requests.push_back(MPI_REQUEST_NULL);
  return mpi::checked_mpi(PMPI_Irecv(message.data, static_cast<int>(message.bytes), MPI_BYTE, message.peer,
                                     message.tag, team.comm(), &requests.back()),
                          "receiving between nodes");
}

// Keeps the first error of several steps that are all taken.
inline void note(Status& outcome, Status&& status) {
  if (outcome && !status) outcome = std::move(status);
}

// Waits for requests, and keeps the first error. Ends early if the team has failed.
inline Status finish_all(mpi::Team& team, Counters& counters, std::span<MPI_Request> requests) {
  Stopwatch time(counters, Counter::exchange_ns);
  Status outcome;
  for (MPI_Request& request : requests) {
    const int code = team.finish(request);
    if (Status whole = team.failure(); !whole) return whole;
    note(outcome, mpi::checked_mpi(code, "waiting for messages between nodes"));
  }
  return outcome;
}

}  // namespace concilio::exec
