// What other ranks ask for in a call. Nodes tell it to each other once for a pattern, in the form in which
// the datatype describes it (flexible collective I/O, section 5.3), and not in every round. From then on each
// rank can compute how many bytes any of these ranks has in a window, and where they belong. So the messages
// of a round hold data only, and who has no data in a window sends nothing.
//
// Where nodes form clusters (plan/layout/clusters.h), descriptions go the same way as data: a node tells the
// relays of its cluster, and these tell aggregators what the nodes of their cluster ask for, in one message.
// All leaders of nodes start their sends, then relays hear them and start theirs, then aggregators hear both,
// and last of all everybody waits until what it has sent is received. Each waits only for what comes before.
#pragma once

#include <span>
#include <vector>

#include "base/budget.h"
#include "exec/call/running_call.h"
#include "plan/plan.h"

namespace concilio::exec {

// One rank's part of a call: data [data.begin, data.end) of `file`.
struct Description {
  pattern::Access file = pattern::Access::contiguous(0);
  pattern::Interval data;
  pattern::Interval bounds;  // the file offsets of these data

  Description() = default;
  Description(pattern::Access access, pattern::Interval positions);
  // The data that lie in a stretch of the file.
  pattern::Interval data_in(pattern::Interval stretch) const;
  void move(int64_t shift_bytes);
};

struct DescribedNode {
  int node = 0;
  // In the order of the node's ranks. Ranks of other nodes that have no data in this rank's realm are left
  // out.
  std::vector<Description> ranks;
};

// Calls f(rank of the node, part, data, at) for all data that a node's ranks ask for in the parts of a
// window, one rank after another. `at` counts the bytes from 0; in this order they are one stream. Returns
// its length. The parts are ascending.
template <typename F>
int64_t for_each_stretch(const DescribedNode& node, std::span<const pattern::Interval> parts, F&& f) {
  int64_t at = 0;
  if (parts.empty()) return at;
  for (size_t rank = 0; rank < node.ranks.size(); ++rank) {
    const Description& its = node.ranks[rank];
    if (its.bounds.end <= parts.front().begin || its.bounds.begin >= parts.back().end) continue;
    for (size_t part = 0; part < parts.size(); ++part) {
      const pattern::Interval data = its.data_in(parts[part]);
      if (data.empty()) continue;
      f(rank, part, data, at);
      at += data.length();
    }
  }
  return at;
}

// What a rank keeps of requests, and what it has under way of them before the first round, stays within
// Layout::told_bytes. Where that is too little it keeps nothing of them, and says so to whom it should tell.
class Descriptions {
 public:
  // Allocates what gather() needs.
  Descriptions(const OpenFile& opened, const plan::Facts& facts, const plan::Plan& plan);
  // Learns what the ranks of this node ask for, and, if this rank aggregates, what those of the nodes do that
  // have data in its realm. Collective over the team. Nobody may use `scratch`, the node's segment, until all
  // ranks have met again. An error is this rank's own; so is described(): false if its request could not be
  // described in the room that the plan gives, or another's could not, or all that it is told is too long.
  Status gather(const OpenFile& opened, const Request& request, const plan::Plan& plan, std::byte* scratch);
  bool described() const { return described_; }

  const DescribedNode& own() const { return own_; }
  // The other nodes with data in the realm that this rank aggregates, ascending.
  const std::vector<DescribedNode>& senders() const { return senders_; }
  // If this rank is a relay: the other nodes of its cluster, ascending. One that has no data that go through
  // this relay may have no ranks.
  const std::vector<DescribedNode>& neighbours() const { return neighbours_; }
  // All requests have moved in the file.
  void move(int64_t shift_bytes);

 private:
  struct Slot;
  struct Relayed;
  static void add(const Description& rank, const pattern::Nest*& before, std::vector<std::byte>& bundle,
                  int64_t most_bytes = INT64_MAX);
  int64_t bring_together(std::byte* scratch, size_t ranks) const;
  Status shorten(int64_t bytes);
  Status tell(mpi::Team& team, std::byte* bundle, int64_t bytes);
  Status hear(mpi::Team& team);
  Status hear_neighbours(mpi::Team& team);
  Status pass_on(mpi::Team& team);
  Result<std::span<std::byte>> bundle_of(const mpi::Team& team, Relayed& relayed, bool shorten);
  Status bring_together(const mpi::Team& team, Relayed& relayed, bool shortened) const;
  Status receive(mpi::Team& team, int rank, int tag);
  Status learn(std::span<const std::byte>& bundle, size_t ranks, DescribedNode& node,
               const plan::Realm* realm = nullptr);
  bool has_room_for(int64_t bytes) const;
  Status forgo();
  const DescribedNode& described(int node) const;

  Counters& counters_;
  bool described_ = true;
  int64_t slot_bytes_ = 0;
  int64_t most_bytes_ = 0;              // of both of these
  int64_t learnt_bytes_ = 0;            // memory of the descriptions
  int64_t under_way_bytes_ = 0;         // memory of what is received and sent
  const plan::Realm* realm_ = nullptr;  // that this rank aggregates
  // An aggregator or a relay that a node's leader tells, and what it is told: if this is empty, all that the
  // ranks ask for.
  struct Receiver {
    int rank, tag;
    const plan::Realm* realm;  // null for a relay
    std::vector<std::byte> bundle;
  };
  std::vector<Receiver> receivers_;
  // A realm that this relay tells of, the nodes of its cluster that may have data in it, and what it tells.
  struct Relayed {
    const plan::Realm* realm;
    std::vector<int> nodes;
    int64_t room;  // that the aggregator has for the message
    std::vector<std::byte> bundle;
    bool shortened = false;
  };
  std::vector<Relayed> relayed_;
  std::vector<MPI_Request> sends_;  // one for each of both
  std::vector<std::byte> received_, mine_;
  DescribedNode own_;
  std::vector<DescribedNode> senders_;
  std::vector<int> tellers_;  // of each of the senders: the rank that tells of it
  std::vector<DescribedNode> neighbours_;
  Charge charge_;
};

}  // namespace concilio::exec
