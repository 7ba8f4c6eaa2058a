// What the forms of exchange between nodes have in common: who sends and receives for a node, by which tags
// messages are told apart, and how they are started and counted.
#pragma once

#include <utility>
#include <vector>

#include "base/counters.h"
#include "mpi/error.h"
#include "mpi/nodes/team.h"

namespace concilio::exec {

// The rank of a node that sends and receives what belongs to a realm of another node.
inline int carrier_of(const mpi::Team& team, size_t realm, int node) {
  const auto& candidates = team.nodes()[static_cast<size_t>(node)].candidates;
  return candidates[realm % candidates.size()];
}

// Data of a realm's windows; what a node wants to read of them; and what ranks ask for, told beforehand.
inline int data_tag(size_t realm) {
  return static_cast<int>(realm % 16000) * 2;
}
inline int wish_tag(size_t realm) {
  return data_tag(realm) + 1;
}
inline constexpr int description_tag = 32000;  // no realm's messages have it

// A message: its address, its length, the other rank, and its tag.
struct Message {
  std::byte* data;
  int64_t bytes;
  int peer;
  int tag;
};

// Each adds a request to `requests`, which has room for it.
inline Status start_send(const mpi::Team& team, Counters& counters, const Message& message,
                         std::vector<MPI_Request>& requests) {
  ++counters[Counter::messages_sent];
  counters[Counter::message_bytes_sent] += message.bytes;
  requests.push_back(MPI_REQUEST_NULL);
  return mpi::checked_mpi(PMPI_Isend(message.data, static_cast<int>(message.bytes), MPI_BYTE, message.peer,
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

}  // namespace concilio::exec
