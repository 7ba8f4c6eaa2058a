#include "exec/two_phase/parcels.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/checked.h"
#include "base/waiting.h"
#include "exec/two_phase/node_messages.h"
#include "pattern/copy.h"
#include "plan/layout/footprint.h"

namespace concilio::exec {
namespace {

constexpr size_t most_parcels_of_batch = 32;

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
      descriptions_(opened, facts, plan) {
  size_t most_parts = 0;
  for (int i = group.first_realm; i < group.end_realm; ++i) {
    const auto realm = static_cast<size_t>(i);
    const plan::Realm& its = plan.realms[realm];
    if (its.aggregator == team_.rank()) own_realm_ = i;
    // Each node begins with the realm behind its own, so that not all send to the same aggregator at first.
    if (its.node != team_.node()) foreign_.push_back(realm);
    most_parts = std::max(most_parts, static_cast<size_t>(plan::most_parts(its, its.window_bytes)));
  }
  const auto behind = std::find_if(foreign_.begin(), foreign_.end(),
                                   [&](size_t realm) { return plan.realms[realm].node > team_.node(); });
  std::rotate(foreign_.begin(), behind, foreign_.end());
  intervals_.reserve(most_parts);
  batch_.reserve(most_parcels_of_batch);
  for (auto& requests : carried_) requests.reserve(most_parcels_of_batch);
}

bool Parcels::fit() {
  if (own_realm_ < 0) return true;
  const plan::Realm& realm = plan_.realms[own()];
  const int64_t room = staging_half_bytes(plan_, group_, realm.window_bytes);
  int64_t most_requests = 0;
  for (int64_t round = 0; round < rounds_of(realm); ++round) {
    window(realm, round, intervals_);
    int64_t requests = 0, bytes = 0;
    for (const DescribedNode& sender : descriptions_.senders()) {
      const int64_t its = for_each_stretch(sender, intervals_, [](auto&&...) {});
      const int64_t parcels = ceil_divide(its, parcel_bytes(sender.node));
      bytes += its + parcels * head_bytes_;
      requests += parcels;
    }
    if (bytes > room) return false;
    most_requests = std::max(most_requests, requests);
  }
  for (Incoming& half : exchanged_) {
    half.deliveries.reserve(descriptions_.senders().size());
    half.requests.reserve(static_cast<size_t>(most_requests));
  }
  return true;
}

void Parcels::begin() {
  batches_ = moved_ = 0;
}

bool Parcels::carries(const Parcel& parcel) const {
  return carrier_of(team_, parcel.realm, team_.node()) == team_.rank();
}

Message Parcels::message_of(const Parcel& parcel) const {
  return {images_.arena(arena()) + parcel.place, head_bytes_ + parcel.stream.length(),
          plan_.realms[parcel.realm].aggregator, data_tag(parcel.realm)};
}

Message Parcels::message_of_window(std::byte* data, int64_t bytes, int node) const {
  return {data, bytes, carrier_of(team_, own(), node), data_tag(own())};
}

std::byte* Parcels::half_of_staging(int64_t round) const {
  return workspace_.staging().data() +
         round % 2 * staging_half_bytes(plan_, group_, plan_.realms[own()].window_bytes);
}

Status Parcels::wait(mpi::EventCounter& event, uint32_t target) {
  Stopwatch time(counters_, Counter::exchange_ns);
  return team_.wait(event, target) ? Status() : team_.failure();
}

Status Parcels::finish(std::span<MPI_Request> requests) {
  Stopwatch time(counters_, Counter::exchange_ns);
  Status outcome;
  for (MPI_Request& request : requests) {
    const int code = team_.finish(request);
    if (Status whole = team_.failure(); !whole) return whole;
    note(outcome, mpi::checked_mpi(code, "waiting for messages between nodes"));
  }
  return outcome;
}

// Calls f() for every batch of parcels that fits the arena; batch_ holds the batch. All ranks of the node
// have the same batches.
template <typename F>
Status Parcels::for_each_batch(int64_t round, F&& f) {
  Status outcome;
  const int64_t most = parcel_bytes(team_.node()), room = plan::arena_bytes(most);
  const auto me = static_cast<size_t>(team_.local_rank());
  int64_t used = 0;
  const auto run = [&] {
    note(outcome, f());
    batch_.clear();
    used = 0;
    ++batches_;
  };
  batch_.clear();
  for (const size_t realm : foreign_) {
    if (!images_.has(realm, round)) continue;
    window(plan_.realms[realm], round, intervals_);
    int64_t mine = -1;
    const int64_t bytes = for_each_stretch(descriptions_.own(), intervals_,
                                           [&](size_t rank, size_t, pattern::Interval, int64_t at) {
                                             if (rank == me && mine < 0) mine = at;
                                           });
    for (int64_t begin = 0; begin < bytes && team_.failure(); begin += most) {
      const pattern::Interval stream{begin, std::min(bytes, begin + most)};
      const int64_t length = align_up(head_bytes_ + stream.length(), plan::parcel_alignment);
      if (used + length > room || batch_.size() == most_parcels_of_batch) run();
      batch_.push_back({realm, stream, mine, used});
      used += length;
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
    Stopwatch time(counters_, Counter::copy_ns);
    for (const Parcel& parcel : batch_) {
      for_each_piece_of_mine(parcel, round, INT64_MAX, [&](pattern::Interval data, std::byte* to) {
        note(outcome, request.copy_to(bytes_at(to), data.begin - first, data.length()));
        moved_ += data.length();
      });
    }
  }
  if (header.filled.arrive(ranks)) header.filled.open();
  bool whole = false;  // whether all ranks have packed their data, as far as this rank knows
  for (const Parcel& parcel : batch_) {
    if (!carries(parcel)) continue;
    if (!whole) {
      if (Status filled = wait(header.filled.passed, use + 1); !filled) return filled;
      whole = true;
    }
    note(outcome, start_send(team_, counters_, message_of(parcel), sends));
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
  for (const Parcel& parcel : batch_) {
    if (!carries(parcel)) continue;
    note(outcome, start_receive(team_, message_of(parcel), receives));
  }
  note(outcome, finish(receives));
  if (Status whole = team_.failure(); !whole) return whole;
  if (header.filled.arrive(ranks)) header.filled.open();
  if (Status whole = wait(header.filled.passed, use + 1); !whole) return whole;
  {
    Stopwatch time(counters_, Counter::copy_ns);
    const int64_t first = own_data().begin;
    for (const Parcel& parcel : batch_) {
      int64_t valid_end = 0;
      std::memcpy(&valid_end, images_.arena(arena()) + parcel.place, sizeof valid_end);
      for_each_piece_of_mine(parcel, round, valid_end, [&](pattern::Interval data, std::byte* from) {
        note(outcome, request.copy_from(bytes_at(from), data.begin - first, data.length()));
        moved_ += data.length();
      });
    }
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
  const std::vector<DescribedNode>& senders = descriptions_.senders();
  for (size_t i = 0; i < senders.size(); ++i) {
    const int64_t bytes = for_each_stretch(senders[i], intervals_, [](auto&&...) {});
    if (bytes == 0) continue;
    const size_t first = incoming.requests.size();
    const int64_t most = parcel_bytes(senders[i].node);
    for (int64_t begin = 0; begin < bytes; begin += most) {
      const Message message = message_of_window(half_of_staging(round) + place + begin,
                                                std::min(most, bytes - begin), senders[i].node);
      note(outcome, start_receive(team_, message, incoming.requests));
    }
    incoming.deliveries.push_back({i, place, first, incoming.requests.size()});
    place += bytes;
  }
  return outcome;
}

Status Parcels::send(int64_t round, const Request& request) {
  return for_each_batch(round, [&] { return pack_and_send(round, request); });
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
    const DescribedNode& sender = descriptions_.senders()[delivery.sender];
    std::byte* const stream = half_of_staging(round) + delivery.place;
    for_each_stretch(sender, intervals_, [&](size_t rank, size_t part, pattern::Interval data, int64_t at) {
      const pattern::Access& file = sender.ranks[rank].file;
      WindowPart& into = parts[part];
      copy(bytes_at(stream + at), pattern::Side{&file, data.begin, into.data, into.file.begin},
           data.length());
      take_time_of_copy(data.length());
      into.map.mark(file, data.begin, data.end);
    });
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
  for (const DescribedNode& sender : descriptions_.senders()) {
    const int64_t most = parcel_bytes(sender.node);
    int64_t bytes = 0;
    {
      Stopwatch time(counters_, Counter::copy_ns);
      bytes = for_each_stretch(
          sender, intervals_, [&](size_t rank, size_t part, pattern::Interval data, int64_t at) {
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
      const Message message = message_of_window(place, head_bytes_ + length, sender.node);
      note(outcome, start_send(team_, counters_, message, outgoing.requests));
      place += head_bytes_ + length;
    }
  }
  return outcome;
}

Status Parcels::take(int64_t round, const Request& request) {
  return for_each_batch(round, [&] { return receive_and_unpack(round, request); });
}

Status Parcels::end() {
  Status outcome;
  for (auto& requests : carried_) {
    note(outcome, finish(requests));
    if (Status whole = team_.failure(); !whole) return whole;
    requests.clear();
  }
  for (Incoming& half : exchanged_) {
    note(outcome, finish(half.requests));
    if (Status whole = team_.failure(); !whole) return whole;
    half.requests.clear();
    half.deliveries.clear();
  }
  return outcome;
}

}  // namespace concilio::exec
