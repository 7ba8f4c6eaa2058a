#include "exec/two_phase/relay.h"

#include <algorithm>
#include <cstring>

#include "base/copy_bytes.h"
#include "base/waiting.h"
#include "plan/layout/clusters.h"
#include "plan/layout/footprint.h"
#include "plan/layout/windows.h"

namespace concilio::exec {

Relay::Relay(mpi::Team& team, Counters& counters, const plan::Plan& plan, const plan::Group& group,
             const Images& images, const Descriptions& descriptions)
    : team_(team),
      counters_(counters),
      plan_(plan),
      images_(images),
      descriptions_(descriptions),
      head_bytes_(plan::parcel_head_bytes(plan.operation)) {
  realms_ = realms_relayed_by(team, plan, group);
  if (realms_.empty()) return;
  const std::span<const int> cluster = cluster_of(group, plan.combined_nodes, team.node());
  nodes_.assign(cluster.begin(), cluster.end());
  int64_t most_parts = 0;
  for (const size_t realm : realms_)
    most_parts = std::max(most_parts, plan::most_parts(plan.realms[realm], plan.realms[realm].window_bytes));
  shares_.reserve(nodes_.size() * realms_.size());
  messages_of_nodes_.resize(nodes_.size());
  messages_of_realms_.resize(realms_.size());
  intervals_.reserve(static_cast<size_t>(most_parts));
  for (auto* requests : {&receives_, &sends_}) requests->reserve(std::max(nodes_.size(), realms_.size()));
}

const DescribedNode& Relay::described(size_t node) const {
  if (is_own(node)) return descriptions_.own();
  return descriptions_.neighbours()[node - (nodes_[node] > team_.node() ? 1 : 0)];
}

bool Relay::fit() {
  int64_t rounds = 0;
  for (const size_t realm : realms_) rounds = std::max(rounds, rounds_of(plan_.realms[realm]));
  for (int64_t round = 0; round < rounds; ++round) {
    if (!lay_out(round)) return false;
  }
  return true;
}

// Finds out which messages there are in a round, and where they lie. False if they do not fit.
bool Relay::lay_out(int64_t round) {
  shares_.clear();
  std::fill(messages_of_nodes_.begin(), messages_of_nodes_.end(), Stretch{});
  std::fill(messages_of_realms_.begin(), messages_of_realms_.end(), Stretch{});
  int64_t end = 0;
  for (size_t realm = 0; realm < realms_.size(); ++realm) {
    window(plan_.realms[realms_[realm]], round, intervals_);
    Stretch& message = messages_of_realms_[realm];
    message.begin = end;
    for (size_t node = 0; node < nodes_.size(); ++node) {
      const int64_t bytes = for_each_stretch(described(node), intervals_, [](auto&&...) {});
      if (bytes == 0) continue;
      if (message.bytes == 0) message.bytes = head_bytes_;
      shares_.push_back({node, realm, bytes, messages_of_nodes_[node].bytes, message.begin + message.bytes});
      message.bytes += bytes;
      messages_of_nodes_[node].bytes += head_bytes_ + bytes;
    }
    end += message.bytes;
  }
  bool fits = end <= room();
  end = 0;
  for (size_t node = 0; node < nodes_.size(); ++node) {
    Stretch& message = messages_of_nodes_[node];
    message.begin = end;
    end += message.bytes;
    fits = fits && message.bytes <= plan_.parcel_bytes[static_cast<size_t>(nodes_[node])];
  }
  return fits && end <= room();
}

Message Relay::message_of_node(size_t node) const {
  const Stretch& message = messages_of_nodes_[node];
  return {in_cluster(message.begin), message.bytes, carrier_to_relay(team_, team_.node(), nodes_[node]),
          relay_tag};
}

Message Relay::message_of_realm(size_t realm) const {
  const Stretch& message = messages_of_realms_[realm];
  return {to_aggregators(message.begin), message.bytes, plan_.realms[realms_[realm]].aggregator,
          data_tag(realms_[realm])};
}

// Calls f(message) for each message of the round between this relay and another node of its cluster.
template <typename F>
Status Relay::for_each_of_cluster(F&& f) const {
  Status outcome;
  for (size_t node = 0; node < nodes_.size(); ++node) {
    if (!is_own(node) && messages_of_nodes_[node].bytes > 0) note(outcome, f(message_of_node(node)));
  }
  return outcome;
}

// The same for those between it and aggregators.
template <typename F>
Status Relay::for_each_aggregator(F&& f) const {
  Status outcome;
  for (size_t realm = 0; realm < realms_.size(); ++realm) {
    if (messages_of_realms_[realm].bytes > 0) note(outcome, f(message_of_realm(realm)));
  }
  return outcome;
}

Status Relay::expect(int64_t round) {
  if (realms_.empty()) return {};
  lay_out(round);
  receives_.clear();
  const auto receive = [&](const Message& message) { return start_receive(team_, message, receives_); };
  return writes() ? for_each_of_cluster(receive) : for_each_aggregator(receive);
}

void Relay::put(const std::byte* parcels) {
  for (size_t node = 0; node < nodes_.size(); ++node) {
    const Stretch& message = messages_of_nodes_[node];
    if (is_own(node)) copy_bytes(in_cluster(message.begin), parcels, message.bytes);
  }
}

void Relay::take(std::byte* parcels) const {
  for (size_t node = 0; node < nodes_.size(); ++node) {
    const Stretch& message = messages_of_nodes_[node];
    if (is_own(node)) copy_bytes(parcels, in_cluster(message.begin), message.bytes);
  }
}

// Copies what has been received from one buffer to the other.
void Relay::reorder() {
  Stopwatch time(counters_, Counter::copy_ns);
  for (const Share& share : shares_) {
    std::byte* const of_node = in_cluster(messages_of_nodes_[share.node].begin + share.in_cluster);
    std::byte* const of_realm = to_aggregators(share.to_aggregator);
    take_time_of_copy(share.bytes);
    if (writes()) {
      copy_bytes(of_realm, of_node, share.bytes);
      continue;
    }
    const auto head_bytes = static_cast<size_t>(head_bytes_);
    std::memcpy(of_node, to_aggregators(messages_of_realms_[share.realm].begin), head_bytes);
    copy_bytes(of_node + head_bytes, of_realm, share.bytes);
  }
}

Status Relay::finish(std::vector<MPI_Request>& requests) {
  Status outcome = finish_all(team_, counters_, requests);
  requests.clear();
  return outcome;
}

Status Relay::forward(SendMode mode) {
  if (realms_.empty()) return {};
  // What was sent in the round before is received as soon as its receivers come to that round.
  Status outcome = finish(sends_);
  if (Status whole = team_.failure(); !whole) return whole;
  note(outcome, finish(receives_));
  if (Status whole = team_.failure(); !whole) return whole;
  reorder();
  const auto send = [&](const Message& message) {
    return start_send(team_, counters_, message, sends_, mode);
  };
  note(outcome, writes() ? for_each_aggregator(send) : for_each_of_cluster(send));
  return outcome;
}

Status Relay::finish_sends() {
  return finish(sends_);
}

}  // namespace concilio::exec
