#include "exec/two_phase/parcels.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/checked.h"
#include "base/exceptions.h"
#include "base/waiting.h"
#include "exec/two_phase/node_messages.h"
#include "pattern/copy.h"
#include "plan/layout/clusters.h"
#include "plan/layout/footprint.h"

namespace concilio::exec {
namespace {

constexpr size_t most_messages_of_batch = 32;

}  // namespace

Parcels::Parcels(const OpenFile& opened, const plan::Facts& facts, const plan::Plan& plan,
                 const plan::Group& group, Images& images, const Workspace& workspace)
    : team_(opened.team),
      counters_(opened.counters),
      plan_(plan),
      group_(group),
      images_(images),
      workspace_(workspace),
      head_bytes_(plan::parcel_head_bytes(plan.operation)),
      descriptions_(opened, facts, plan),
      relay_(team_, counters_, plan, group, images, descriptions_) {
  size_t most_parts = 0, most_relayed = 0;
  for (int i = group.first_realm; i < group.end_realm; ++i) {
    const auto realm = static_cast<size_t>(i);
    const plan::Realm& its = plan.realms[realm];
    if (its.aggregator == team_.rank()) own_realm_ = i;
    if (its.node != team_.node()) add_foreign(realm);
    most_parts = std::max(most_parts, static_cast<size_t>(plan::most_parts(its, its.window_bytes)));
  }
  // Each node begins with the realm and the relay behind its own, so that not all send to the same rank at
  // first.
  const auto begin_behind_own = [&](auto& all, auto&& node_of) {
    const auto behind =
        std::find_if(all.begin(), all.end(), [&](const auto& one) { return node_of(one) > team_.node(); });
    std::rotate(all.begin(), behind, all.end());
  };
  begin_behind_own(direct_, [&](size_t realm) { return plan.realms[realm].node; });
  begin_behind_own(relayed_, [](const Relayed& one) { return one.relay; });
  for (const Relayed& one : relayed_) most_relayed += one.realms.size();
  intervals_.reserve(most_parts);
  bundles_.reserve(most_messages_of_batch);
  batch_.reserve(most_messages_of_batch + most_relayed);
  through_relay_.reserve(most_relayed);
  for (auto& requests : carried_) requests.reserve(most_messages_of_batch);
}

void Parcels::add_foreign(size_t realm) {
  const int relay = relay_of(plan_, group_, realm, team_.node());
  if (relay == plan::direct) {
    direct_.push_back(realm);
    return;
  }
  const auto behind =
      std::find_if(relayed_.begin(), relayed_.end(), [&](const Relayed& one) { return one.relay >= relay; });
  const bool known = behind != relayed_.end() && behind->relay == relay;
  const auto found = known ? behind : relayed_.insert(behind, {relay, {}});
  found->realms.push_back(realm);
}

// Those of the other nodes that have data in this rank's realm.
void Parcels::find_peers() {
  peers_.clear();
  const std::vector<DescribedNode>& senders = descriptions_.senders();
  for (size_t i = 0; i < senders.size(); ++i) {
    const int node = senders[i].node, relay = relay_of(plan_, group_, own(), node);
    if (relay == plan::direct) {
      peers_.push_back({i, i + 1, carrier_of(team_, own(), node), parcel_bytes(node)});
      continue;
    }
    const int rank = relay_rank(team_, relay);
    if (peers_.empty() || peers_.back().rank != rank) peers_.push_back({i, i, rank, INT32_MAX});
    peers_.back().end_sender = i + 1;
  }
  // Nodes begin with the realm behind their own, so the data of the node before this one come, or are waited
  // for, first.
  const auto behind = std::find_if(peers_.begin(), peers_.end(), [&](const Peer& peer) {
    return senders[peer.first_sender].node > team_.node();
  });
  std::rotate(peers_.begin(), behind, peers_.end());
  std::reverse(peers_.begin(), peers_.end());
}

bool Parcels::fit() {
  if (!relay_.fit()) return false;
  if (own_realm_ < 0) return true;
  find_peers();
  const plan::Realm& realm = plan_.realms[own()];
  const int64_t room = staging_part_bytes(plan_, group_, realm.window_bytes);
  int64_t most_requests = 0;
  for (int64_t round = 0; round < rounds_of(realm); ++round) {
    window(realm, round, intervals_);
    int64_t requests = 0, bytes = 0;
    for (const Peer& peer : peers_) {
      const int64_t its = bytes_from(peer), parcels = ceil_divide(its, peer.most_bytes);
      bytes += its + parcels * head_bytes_;
      requests += parcels;
    }
    if (bytes > room) return false;
    most_requests = std::max(most_requests, requests);
  }
  for (Incoming& half : exchanged_) {
    half.deliveries.reserve(peers_.size());
    half.requests.reserve(static_cast<size_t>(most_requests));
  }
  return true;
}

void Parcels::begin() {
  batches_ = moved_ = 0;
}

// What a peer has in the window that was asked for last.
int64_t Parcels::bytes_from(const Peer& peer) const {
  int64_t bytes = 0;
  for (size_t i = peer.first_sender; i < peer.end_sender; ++i)
    bytes += for_each_stretch(descriptions_.senders()[i], intervals_, [](auto&&...) {});
  return bytes;
}

bool Parcels::carries(const Bundle& bundle) const {
  const int carrier = bundle.relay == plan::direct ? carrier_of(team_, bundle.realm, team_.node())
                                                   : carrier_to_relay(team_, bundle.relay, team_.node());
  return carrier == team_.rank();
}

Message Parcels::message_of(const Bundle& bundle) const {
  std::byte* const data = images_.arena(arena()) + bundle.place;
  if (bundle.relay == plan::direct)
    return {data, bundle.bytes, plan_.realms[bundle.realm].aggregator, data_tag(bundle.realm)};
  return {data, bundle.bytes, relay_rank(team_, bundle.relay), relay_tag};
}

Message Parcels::message_of_window(std::byte* data, int64_t bytes, const Peer& peer) const {
  return {data, bytes, peer.rank, data_tag(own())};
}

std::byte* Parcels::half_of_staging(int64_t round) const {
  return workspace_.staging().data() +
         round % plan::most_slots * staging_part_bytes(plan_, group_, plan_.realms[own()].window_bytes);
}

Status Parcels::wait(mpi::EventCounter& event, uint32_t target) {
  Stopwatch time(counters_, Counter::exchange_ns);
  constexpr bool messages = true;
  return team_.wait(event, target, messages) ? Status() : team_.failure();
}

Status Parcels::finish(std::span<MPI_Request> requests) {
  return finish_all(team_, counters_, requests);
}

Parcels::Stream Parcels::stream_of(size_t realm, int64_t round) {
  Stream stream{0, -1};
  if (!images_.has(realm, round)) return stream;
  window(plan_.realms[realm], round, intervals_);
  const auto me = static_cast<size_t>(team_.local_rank());
  stream.bytes = for_each_stretch(descriptions_.own(), intervals_,
                                  [&](size_t rank, size_t, pattern::Interval, int64_t at) {
                                    if (rank == me && stream.mine < 0) stream.mine = at;
                                  });
  return stream;
}

// Calls f() for every batch of messages that fits the arena; bundles_ holds these, and batch_ their parcels.
// All ranks of the node have the same batches.
template <typename F>
Status Parcels::for_each_batch(int64_t round, F&& f) {
  Status outcome;
  const int64_t most = parcel_bytes(team_.node()), room = plan::arena_bytes(most);
  int64_t used = 0;
  const auto run = [&] {
    note(outcome, f());
    batch_.clear();
    bundles_.clear();
    used = 0;
    ++batches_;
  };
  // Adds a message; the places of its parcels count from its begin.
  const auto add = [&](std::span<const Parcel> parcels, int relay, int64_t bytes) {
    const int64_t length = align_up(bytes, plan::parcel_alignment);
    if (used + length > room || bundles_.size() == most_messages_of_batch) run();
    bundles_.push_back({parcels.front().realm, relay, used, bytes});
    for (Parcel parcel : parcels) {
      parcel.place += used;
      batch_.push_back(parcel);
    }
    used += length;
  };
  batch_.clear();
  bundles_.clear();
  for (const Relayed& one : relayed_) {
    int64_t bytes = 0;
    through_relay_.clear();
    for (const size_t realm : one.realms) {
      const Stream stream = stream_of(realm, round);
      if (stream.bytes == 0) continue;
      through_relay_.push_back({realm, {0, stream.bytes}, stream.mine, bytes});
      bytes += head_bytes_ + stream.bytes;
    }
    if (bytes > 0 && team_.failure()) add(through_relay_, one.relay, bytes);
  }
  for (const size_t realm : direct_) {
    const Stream stream = stream_of(realm, round);
    for (int64_t begin = 0; begin < stream.bytes && team_.failure(); begin += most) {
      const Parcel parcel{realm, {begin, std::min(stream.bytes, begin + most)}, stream.mine, 0};
      add({&parcel, 1}, plan::direct, head_bytes_ + parcel.stream.length());
    }
  }
  if (!batch_.empty() && team_.failure()) run();
  return team_.failure() ? outcome : team_.failure();
}

// Calls f(data, bytes) for what this rank has in a parcel: bytes at data positions from `data` on, and their
// place in the arena. Data at offsets from `end` on are left out.
template <typename F>
void Parcels::for_each_piece_of_mine(const Parcel& parcel, int64_t round, int64_t end, F&& f) {
  if (parcel.mine < 0) return;
  const Description& mine = descriptions_.own().ranks[static_cast<size_t>(team_.local_rank())];
  std::byte* const first = images_.arena(arena()) + parcel.place + head_bytes_;
  window(plan_.realms[parcel.realm], round, intervals_);
  int64_t at = parcel.mine;
  for (const pattern::Interval& part : intervals_) {
    if (at >= parcel.stream.end) break;
    const pattern::Interval data = mine.data_in(part);
    if (data.empty()) continue;
    const int64_t begin = std::max(at, parcel.stream.begin);
    int64_t behind = std::min(at + data.length(), parcel.stream.end);
    if (part.end > end) {
      const pattern::Interval there =
          part.begin < end ? mine.data_in({part.begin, end}) : pattern::Interval{};
      behind = std::min(behind, at + std::max<int64_t>(0, there.length()));
    }
    if (begin < behind) {
      const int64_t from = data.begin + (begin - at);
      f(pattern::Interval{from, from + (behind - begin)}, first + (begin - parcel.stream.begin));
    }
    at += data.length();
  }
}

Status Parcels::pack_and_send(int64_t round, const Request& request) {
  ArenaHeader& header = images_.arena_header(arena());
  std::vector<MPI_Request>& sends = carried_[arena()];
  const auto ranks = static_cast<uint32_t>(team_.local_size());
  const auto use = static_cast<uint32_t>(batches_ / 2);
  Status outcome;
  if (use > 0) {
    note(outcome, finish(sends));
    if (header.emptied.arrive(ranks)) header.emptied.open();
    if (Status whole = wait(header.emptied.passed, use); !whole) return whole;
  }
  sends.clear();
  const int64_t first = own_data().begin;
  {
    // Copies of a GPU may lack memory; the node waits for this rank all the same.
    Stopwatch time(counters_, Counter::copy_ns);
    note(outcome, without_exceptions([&]() -> Status {
           for (const Parcel& parcel : batch_) {
             for_each_piece_of_mine(parcel, round, INT64_MAX, [&](pattern::Interval data, std::byte* to) {
               note(outcome, request.begin_copy_to(bytes_at(to), data.begin - first, data.length()));
               moved_ += data.length();
             });
           }
           return request.finish_copies();
         }));
  }
  if (header.filled.arrive(ranks)) header.filled.open();
  bool whole = false;  // whether all ranks have packed their data, as far as this rank knows
  for (const Bundle& bundle : bundles_) {
    if (!carries(bundle)) continue;
    if (!whole) {
      if (Status filled = wait(header.filled.passed, use + 1); !filled) return filled;
      whole = true;
    }
    const Message message = message_of(bundle);
    if (is_own_relay(bundle)) {
      relay_.put(message.data);
    } else {
      note(outcome, start_send(team_, counters_, message, sends, mode_of(round)));
    }
  }
  return outcome;
}

Status Parcels::receive_and_unpack(int64_t round, const Request& request) {
  ArenaHeader& header = images_.arena_header(arena());
  std::vector<MPI_Request>& receives = carried_[arena()];
  const auto ranks = static_cast<uint32_t>(team_.local_size());
  const auto use = static_cast<uint32_t>(batches_ / 2);
  Status outcome;
  if (use > 0) {
    if (Status whole = wait(header.emptied.passed, use); !whole) return whole;
  }
  receives.clear();
  for (const Bundle& bundle : bundles_) {
    if (!carries(bundle)) continue;
    const Message message = message_of(bundle);
    if (is_own_relay(bundle)) {
      relay_.take(message.data);
    } else {
      note(outcome, start_receive(team_, message, receives));
    }
  }
  note(outcome, finish(receives));
  if (Status whole = team_.failure(); !whole) return whole;
  if (header.filled.arrive(ranks)) header.filled.open();
  if (Status whole = wait(header.filled.passed, use + 1); !whole) return whole;
  {
    Stopwatch time(counters_, Counter::copy_ns);
    const int64_t first = own_data().begin;
    note(outcome, without_exceptions([&]() -> Status {
           for (const Parcel& parcel : batch_) {
             int64_t valid_end = 0;
             std::memcpy(&valid_end, images_.arena(arena()) + parcel.place, sizeof valid_end);
             for_each_piece_of_mine(parcel, round, valid_end, [&](pattern::Interval data, std::byte* from) {
               note(outcome, request.begin_copy_from(bytes_at(from), data.begin - first, data.length()));
               moved_ += data.length();
             });
           }
           return request.finish_copies();
         }));
  }
  if (header.emptied.arrive(ranks)) header.emptied.open();
  return outcome;
}

Status Parcels::expect(int64_t round) {
  if (!has_window(round)) return {};
  window(plan_.realms[own()], round, intervals_);
  Incoming& incoming = exchanged_[static_cast<size_t>(round % 2)];
  incoming.deliveries.clear();
  incoming.requests.clear();
  Status outcome;
  int64_t place = 0;
  for (size_t i = 0; i < peers_.size(); ++i) {
    const int64_t bytes = bytes_from(peers_[i]), most = peers_[i].most_bytes;
    if (bytes == 0) continue;
    const size_t first = incoming.requests.size();
    for (int64_t begin = 0; begin < bytes; begin += most) {
      const Message message =
          message_of_window(half_of_staging(round) + place + begin, std::min(most, bytes - begin), peers_[i]);
      note(outcome, start_receive(team_, message, incoming.requests));
    }
    incoming.deliveries.push_back({i, place, first, incoming.requests.size()});
    place += bytes;
  }
  return outcome;
}

Status Parcels::send(int64_t round, const Request& request) {
  Status outcome = relay_.expect(round);
  note(outcome, for_each_batch(round, [&] { return pack_and_send(round, request); }));
  if (Status whole = team_.failure(); !whole) return whole;
  note(outcome, relay_.forward(mode_of(round)));
  return outcome;
}

Status Parcels::merge(int64_t round, std::span<WindowPart> parts) {
  Incoming& incoming = exchanged_[static_cast<size_t>(round % 2)];
  window(plan_.realms[own()], round, intervals_);
  Status outcome;
  for (const Delivery& delivery : incoming.deliveries) {
    note(outcome,
         finish(std::span(incoming.requests)
                    .subspan(delivery.first_request, delivery.end_request - delivery.first_request)));
    if (Status whole = team_.failure(); !whole) return whole;
    if (!outcome) continue;
    Stopwatch time(counters_, Counter::copy_ns);
    const Peer& peer = peers_[delivery.peer];
    std::byte* stream = half_of_staging(round) + delivery.place;
    for (size_t i = peer.first_sender; i < peer.end_sender; ++i) {
      const DescribedNode& sender = descriptions_.senders()[i];
      stream += for_each_stretch(
          sender, intervals_, [&](size_t rank, size_t part, pattern::Interval data, int64_t at) {
            const pattern::Access& file = sender.ranks[rank].file;
            WindowPart& into = parts[part];
            copy(bytes_at(stream + at), pattern::Side{&file, data.begin, into.data, into.file.begin},
                 data.length());
            take_time_of_copy(data.length());
            into.map.mark(file, data.begin, data.end);
          });
    }
  }
  return outcome;
}

Status Parcels::serve(int64_t round, std::span<const WindowPart> parts, int64_t valid_end) {
  Incoming& outgoing = exchanged_[static_cast<size_t>(round % 2)];
  Status outcome = finish(outgoing.requests);
  if (Status whole = team_.failure(); !whole) return whole;
  outgoing.requests.clear();
  window(plan_.realms[own()], round, intervals_);
  std::byte* place = half_of_staging(round);
  for (const Peer& peer : peers_) {
    const int64_t most = peer.most_bytes;
    int64_t bytes = 0;
    for (size_t i = peer.first_sender; i < peer.end_sender; ++i) {
      Stopwatch time(counters_, Counter::copy_ns);
      const DescribedNode& sender = descriptions_.senders()[i];
      bytes += for_each_stretch(
          sender, intervals_, [&](size_t rank, size_t part, pattern::Interval data, int64_t at) {
            at += bytes;
            const WindowPart& from = parts[part];
            // The head of each parcel parts its data from those of the one before.
            while (!data.empty()) {
              const int64_t parcel = at / most, length = std::min(data.length(), (parcel + 1) * most - at);
              copy(pattern::Side{&sender.ranks[rank].file, data.begin, from.data, from.file.begin},
                   bytes_at(place + (parcel + 1) * head_bytes_ + at), length);
              take_time_of_copy(length);
              data.begin += length;
              at += length;
            }
          });
    }
    for (int64_t begin = 0; begin < bytes; begin += most) {
      const int64_t length = std::min(most, bytes - begin);
      std::memcpy(place, &valid_end, sizeof valid_end);
      const Message message = message_of_window(place, head_bytes_ + length, peer);
      note(outcome, start_send(team_, counters_, message, outgoing.requests, mode_of(round)));
      place += head_bytes_ + length;
    }
  }
  return outcome;
}

Status Parcels::take(int64_t round, const Request& request) {
  Status outcome = relay_.expect(round);
  note(outcome, relay_.forward(mode_of(round)));
  if (Status whole = team_.failure(); !whole) return whole;
  note(outcome, for_each_batch(round, [&] { return receive_and_unpack(round, request); }));
  return outcome;
}

Status Parcels::finish_sends() {
  Status outcome = relay_.finish_sends();
  for (size_t i = 0; i < 2; ++i) {
    if (Status whole = team_.failure(); !whole) return whole;
    std::vector<MPI_Request>& sends = writes() ? carried_[i] : exchanged_[i].requests;
    note(outcome, finish(sends));
    sends.clear();
  }
  return team_.failure() ? outcome : team_.failure();
}

}  // namespace concilio::exec
