// Exchange between nodes that know what each other's ranks ask for (exec/two_phase/descriptions.h).
//
// What the ranks of a node have in a window of another node's aggregator is one stream, see for_each_stretch.
// It travels in parcels of at most the node's parcel_bytes, so that a node with little memory sends more of
// them and no other node notices. A node's ranks pack their parcels into an arena in the segment that they
// share, or unpack them from it; one of them, the carrier of the realm, sends or receives. There are two
// arenas: while the parcels of one are under way, the ranks work on the other. Aggregators receive into their
// staging, or send from it. A parcel holds data only, and when reading also where the file ends.
//
// Where nodes form clusters (plan/layout/clusters.h), a node sends what it has for windows of aggregators in
// other clusters to relays: all its parcels that go through the same relay in a round travel in one message,
// and the relay sends the streams of its cluster's nodes on (exec/two_phase/relay.h), or back in reads.
//
// Why ranks cannot wait for each other in a circle: every rank takes the steps of a round in the same order,
// whichever of its parts it has, and each step waits only for earlier rounds and earlier steps. In a write:
//   1. The ranks of a node put their data into the windows of its own aggregators. The slot of such a window
//      has been released in an earlier round.
//   2. Relays post the receives of the round. Aggregators have done so before it. Nobody waits.
//   3. The ranks of a node pack its batches of parcels, and carriers send them. An arena is free once the
//      messages of the batch before the last are received, whose receives are posted by now, and all ranks of
//      the node have come to this batch.
//   4. Relays wait for what their clusters send in 3, and for the receivers of what they sent on in the round
//      before. Then they send the streams on.
//   5. Aggregators merge what is sent to them in 3 and 4, and post the receives of the next round.
//   6. Aggregators wait until storage has the window of the round before. Then a thread writes this one
//      (beside.h); or they wait for the receivers of what they sent in 3 and 4, and write it themselves.
// In a read:
//   1. The ranks of a node mark what they want of its aggregators' windows, if that is done.
//   2. Aggregators read their windows, unless a thread has done so since the round before; those without such
//      a thread first wait for the receivers of what they sent in that round. Then they wait for the
//      receivers of what they sent in the round before that, whose staging they use again, and start all
//      sends.
//   3. The ranks of a node take their data from the windows of its own aggregators.
//   4. Relays post the receives of the round, wait for what is sent in 2, and for the receivers of what they
//      sent on in the round before. Then they start the sends to their clusters.
//   5. Carriers receive what is sent in 2 and 4, batch by batch, and the ranks of their nodes unpack it.
// So of all ranks that are in the lowest round, one that is at the lowest step, and in the lowest batch of
// its node, can go on, whatever later rounds wait for. This takes two more things: no step counts on MPI to
// keep a message that nobody expects yet; and who waits, also for memory that a node shares, lets MPI make
// progress with what it has sent (mpi/progress.h).
#pragma once

#include <array>
#include <vector>

#include "exec/call/workspace.h"
#include "exec/two_phase/descriptions.h"
#include "exec/two_phase/node_messages.h"
#include "exec/two_phase/relay.h"
#include "exec/windows/images.h"

namespace concilio::exec {

// One rank's part in the exchange of a plan's calls. Its memory is allocated when it is made.
class Parcels {
 public:
  Parcels(const OpenFile& opened, const plan::Facts& facts, const plan::Plan& plan, const plan::Group& group,
          Images& images, const Workspace& workspace);

  Descriptions& descriptions() { return descriptions_; }
  // To be called when the descriptions are known. False if a window's parcels do not fit into this
  // aggregator's staging, since ranks ask for the same bytes, or those of a round into a relay's buffers,
  // since a node's share is too large.
  bool fit();

  // Before the rounds of a call.
  void begin();
  // A round of a write is expect(), send() and merge(); that of a read serve() and take(). Of these,
  // expect(), merge() and serve() are for a rank that aggregates.
  //
  // Posts the receives for this rank's window of the round, if it has one. That may be done as soon as the
  // window before has been merged, and is done before this rank waits for others in the round.
  Status expect(int64_t round);
  // Packs this rank's data for the windows of other nodes, and sends those of its node that it carries.
  Status send(int64_t round, const Request& request);
  // Puts the data of other nodes into this rank's window, and marks them in its maps.
  Status merge(int64_t round, std::span<WindowPart> parts);
  // Sends the bytes of this rank's window that other nodes ask for. Bytes from `valid_end` on are not in the
  // file.
  Status serve(int64_t round, std::span<const WindowPart> parts, int64_t valid_end);
  // Unpacks this rank's data of the windows of other nodes.
  Status take(int64_t round, const Request& request);
  // Waits until all that this rank has sent is received: after the rounds, and before it goes to storage
  // itself, as many MPIs move large messages only while their sender is in MPI.
  Status finish_sends();

  // The bytes that this rank has packed or unpacked since begin().
  int64_t moved() const { return moved_; }

 private:
  // A part of a node's stream.
  struct Parcel {
    size_t realm;
    pattern::Interval stream;
    int64_t mine;   // where this rank's data begin in the stream; -1: it has none
    int64_t place;  // where it lies in the arena
  };
  // Parcels that travel in one message: one to the realm's aggregator, or all that go through a relay, one
  // behind the other.
  struct Bundle {
    size_t realm;  // of the first parcel
    int relay;     // node, or plan::direct
    int64_t place, bytes;
  };
  // Who sends to this rank's realm, or gets its bytes: one of descriptions_.senders(), or those that have a
  // relay in common. Their streams follow each other.
  struct Peer {
    size_t first_sender, end_sender;
    int rank;
    int64_t most_bytes;  // of the stream in one message
  };
  // The parcels of one peer in a window of this rank's realm: where they lie in the staging, and their
  // requests.
  struct Delivery {
    size_t peer;  // index into peers_
    int64_t place;
    size_t first_request, end_request;
  };
  struct Incoming {
    std::vector<Delivery> deliveries;
    std::vector<MPI_Request> requests;
  };

  template <typename F>
  Status for_each_batch(int64_t round, F&& f);
  template <typename F>
  void for_each_piece_of_mine(const Parcel& parcel, int64_t round, int64_t end, F&& f);
  Status pack_and_send(int64_t round, const Request& request);
  Status receive_and_unpack(int64_t round, const Request& request);
  Status wait(mpi::EventCounter& event, uint32_t target);
  Status finish(std::span<MPI_Request> requests);
  // What this node has in a window, and where in it this rank's data begin (-1: it has none).
  struct Stream {
    int64_t bytes, mine;
  };
  Stream stream_of(size_t realm, int64_t round);
  void add_foreign(size_t realm);
  void find_peers();
  int64_t bytes_from(const Peer& peer) const;
  bool carries(const Bundle& bundle) const;
  bool is_own_relay(const Bundle& bundle) const { return bundle.relay == team_.node(); }
  Message message_of(const Bundle& bundle) const;
  // Between this aggregator and a peer.
  Message message_of_window(std::byte* data, int64_t bytes, const Peer& peer) const;
  bool writes() const { return plan_.operation == Operation::write; }
  SendMode mode_of(int64_t round) const { return mode_of_round(round, group_.rounds); }
  bool has_window(int64_t round) const { return own_realm_ >= 0 && images_.has(own(), round); }
  size_t own() const { return static_cast<size_t>(own_realm_); }
  int64_t parcel_bytes(int node) const { return plan_.parcel_bytes[static_cast<size_t>(node)]; }
  std::byte* half_of_staging(int64_t round) const;
  // A stretch of bytes in memory, as one side of a copy.
  pattern::Side bytes_at(std::byte* data) const { return {&every_byte_, 0, data, 0}; }
  pattern::Interval own_data() const {
    return descriptions_.own().ranks[static_cast<size_t>(team_.local_rank())].data;
  }
  size_t arena() const { return static_cast<size_t>(batches_ % 2); }

  mpi::Team& team_;
  Counters& counters_;
  const plan::Plan& plan_;
  const plan::Group& group_;
  Images& images_;
  const Workspace& workspace_;
  const int64_t head_bytes_;  // before the data of a parcel
  const pattern::Access every_byte_ = pattern::Access::contiguous(0);
  int own_realm_ = -1;
  Descriptions descriptions_;
  // The group's realms that are aggregated on other nodes: those whose aggregators this node exchanges with
  // itself, and those that it exchanges with by a relay.
  std::vector<size_t> direct_;
  struct Relayed {
    int relay;  // node
    std::vector<size_t> realms;
  };
  std::vector<Relayed> relayed_;
  Relay relay_;                                      // of other nodes
  std::vector<Peer> peers_;                          // of this aggregator
  std::vector<pattern::Interval> intervals_;         // of the window that was asked for last
  std::vector<Parcel> batch_;                        // the parcels in the present arena
  std::vector<Bundle> bundles_;                      // the messages that they travel in
  std::vector<Parcel> through_relay_;                // parcels of the message that is being put together
  std::array<std::vector<MPI_Request>, 2> carried_;  // of the parcels of each arena that this rank carries
  std::array<Incoming, 2> exchanged_;                // of each half of the staging
  int64_t batches_ = 0;                              // since begin()
  int64_t moved_ = 0;
};

}  // namespace concilio::exec
