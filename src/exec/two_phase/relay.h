// The relay of a cluster: brings together what the nodes of its cluster have in windows of aggregators in
// other clusters (plan/layout/clusters.h).
//
// In a round of a write a relay gets a message of each other node of its cluster, with that node's streams of
// all windows that go through this relay; its own node's it finds in an arena. It sends a message to each
// aggregator, with the streams of all nodes for its window. A read goes the same way back. The sender of a
// message is never asked how long it is: all of them know what the nodes ask for.
//
// One rank of a node does this, in two buffers of the node's segment: one for messages within the cluster,
//   node:   for each realm, where the node has data in its window: head, stream
// and one for those from and to aggregators,
//   realm:  head, for each node its stream
// where the head says where the file ends, in reads.
//
// A relay has room for all messages of a round, on either side, so it need not send some on before it can
// receive others; where they do not fit, there are no relays (fit()). The receives of a round are posted when
// all of the round before has been copied out of their buffer; the other one is filled again when its
// messages have been received. What a node that is ahead of its relay sends stays in the node's arenas until
// the relay expects it, so a relay never holds more than one round. exec/two_phase/parcels.h says why ranks
// do not wait for each other in a circle.
#pragma once

#include <vector>

#include "exec/two_phase/descriptions.h"
#include "exec/two_phase/node_messages.h"
#include "exec/windows/images.h"

namespace concilio::exec {

// One rank's part. Its memory is allocated when it is made.
class Relay {
 public:
  // All must outlive this. It has nothing to do if this rank is not a relay.
  Relay(mpi::Team& team, Counters& counters, const plan::Plan& plan, const plan::Group& group,
        const Images& images, const Descriptions& descriptions);

  // To be called when the descriptions are known. False if the data of a round do not fit the buffers of this
  // relay, or a node's data for it those of that node.
  bool fit();

  // A round of a write is expect(), put() and forward(), that of a read expect(), forward() and take().
  //
  // Posts the receives of a round.
  Status expect(int64_t round);
  // Takes what its own node's ranks have packed for it.
  void put(const std::byte* parcels);
  // Waits for the messages of the round, and sends them on.
  Status forward(SendMode mode);
  // Gives to its own node's ranks what they have asked for.
  void take(std::byte* parcels) const;
  // Waits until what it has sent on is received.
  Status finish_sends();

 private:
  // A stretch of bytes of a buffer.
  struct Stretch {
    int64_t begin = 0, bytes = 0;
  };
  // What a node has in the window of a realm: its length, and where it is in each buffer.
  struct Share {
    size_t node, realm;  // indices into messages_of_nodes_ and realms_
    int64_t bytes, in_cluster, to_aggregator;
  };
  enum Buffer : size_t { within_cluster, with_aggregators };

  bool lay_out(int64_t round);
  const DescribedNode& described(size_t node) const;
  bool writes() const { return plan_.operation == Operation::write; }
  int64_t room() const { return plan_.parcel_bytes[static_cast<size_t>(team_.node())]; }
  bool is_own(size_t node) const { return nodes_[node] == team_.node(); }
  std::byte* in_cluster(int64_t at) const { return images_.relay_buffer(within_cluster) + at; }
  std::byte* to_aggregators(int64_t at) const { return images_.relay_buffer(with_aggregators) + at; }
  Message message_of_node(size_t node) const;
  Message message_of_realm(size_t realm) const;
  template <typename F>
  Status for_each_of_cluster(F&& f) const;
  template <typename F>
  Status for_each_aggregator(F&& f) const;
  void reorder();
  Status finish(std::vector<MPI_Request>& requests);

  mpi::Team& team_;
  Counters& counters_;
  const plan::Plan& plan_;
  const Images& images_;
  const Descriptions& descriptions_;
  const int64_t head_bytes_;
  std::vector<int> nodes_;      // of the cluster; none if this rank is not a relay
  std::vector<size_t> realms_;  // that go through this relay, ascending
  // Of the present round.
  std::vector<Share> shares_;  // by realm, and then by node
  std::vector<Stretch> messages_of_nodes_, messages_of_realms_;
  std::vector<pattern::Interval> intervals_;
  std::vector<MPI_Request> receives_, sends_;
};

}  // namespace concilio::exec
