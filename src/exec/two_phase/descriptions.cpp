#include "exec/two_phase/descriptions.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/exceptions.h"
#include "exec/two_phase/node_messages.h"
#include "pattern/encoding.h"
#include "pattern/excerpt.h"
#include "plan/layout/exchange.h"
#include "plan/layout/footprint.h"

namespace concilio::exec {
namespace {

// Descriptions up to this length are told as they are.
constexpr int64_t worth_shortening_bytes = 512;
// What the shortened ones of a node may take while they are under way, unless it has long lists; and the part
// of the memory for descriptions that is then left for what others tell.
constexpr int64_t most_shortened_bytes = 1 << 20;
constexpr int64_t share_for_others = 3;

static_assert(sizeof(Description) <= plan::kept_head_bytes);

// Said of what does not describe anything, as a relay without memory sends it.
Error spoilt() {
  return {ErrorKind::communication, 0, "the descriptions of a node's requests cannot be read"};
}

// The group of a node whose ranks exchange with other nodes; else null.
const plan::Group* exchanging_group(const plan::Plan& plan, int node) {
  const int index = plan.group_of_node[static_cast<size_t>(node)];
  if (plan.exchange != plan::ExchangeStrategy::descriptions || index < 0) return nullptr;
  const plan::Group& group = plan.groups[static_cast<size_t>(index)];
  return group.nodes.size() > 1 ? &group : nullptr;
}

bool owns_by_offsets(const plan::Realm& realm) {
  return realm.owned.is_contiguous() && realm.owned.displacement() == 0;
}

// What a rank asks for in a realm, and perhaps more, in a shorter description.
Result<Description> shorter(const Description& rank, const plan::Realm& realm) {
  const pattern::Interval data = rank.data_in({realm.positions.front().begin, realm.positions.back().end});
  if (data.empty()) return Description();
  Result<pattern::Excerpt> part = excerpt(rank.file, data);
  if (!part) return part.error();
  return Description(std::move(part->access), part->data);
}

size_t ranks_of(const mpi::Team& team, int node) {
  return static_cast<size_t>(team.nodes()[static_cast<size_t>(node)].ranks);
}

const std::vector<int>& candidates_of(const mpi::Team& team, int node) {
  return team.nodes()[static_cast<size_t>(node)].candidates;
}

// Whether a rank may have data in a realm.
bool has_data_in(const plan::Realm& realm, const Description& rank) {
  if (rank.data.empty()) return false;
  return !owns_by_offsets(realm) ||
         std::any_of(realm.positions.begin(), realm.positions.end(),
                     [&](const pattern::Interval& file) { return !rank.data_in(file).empty(); });
}

}  // namespace

// A description in a bundle of them: this head, the nest, and the numbers that place the request in the file.
// A nest of no bytes stands for that of the rank before. A description without numbers says that its rank
// asks for nothing, or for nothing in the realm of the one who is told.
struct Descriptions::Slot {
  static constexpr int32_t cannot = -1;  // in place of number_bytes: the request does not fit the slot
  int32_t nest_bytes = 0, number_bytes = 0;

  int64_t bytes() const {
    return static_cast<int64_t>(sizeof(Slot)) + nest_bytes + std::max(0, number_bytes);
  }
};

Description::Description(pattern::Access access, pattern::Interval positions)
    : file(std::move(access)), data(positions), bounds(file.bounds(data.begin, data.end)) {}

pattern::Interval Description::data_in(pattern::Interval stretch) const {
  if (stretch.end <= bounds.begin || stretch.begin >= bounds.end) return {};
  return {std::clamp(file.data_before(stretch.begin), data.begin, data.end),
          std::clamp(file.data_before(stretch.end), data.begin, data.end)};
}

void Description::move(int64_t shift_bytes) {
  file.move(shift_bytes);
  bounds = {bounds.begin + shift_bytes, bounds.end + shift_bytes};
}

Descriptions::Descriptions(const OpenFile& opened, const plan::Facts& facts, const plan::Plan& plan)
    : counters_(opened.counters) {
  const mpi::Team& team = opened.team;
  const plan::Group* const group = exchanging_group(plan, team.node());
  if (!group) return;
  slot_bytes_ = plan.description_bytes;
  most_bytes_ = plan.told_bytes;
  own_.node = team.node();
  own_.ranks.reserve(static_cast<size_t>(team.local_size()));
  const auto add_relay = [&](int rank) {
    const bool known = std::any_of(receivers_.begin(), receivers_.end(), [&](const Receiver& receiver) {
      return receiver.tag == relay_description_tag && receiver.rank == rank;
    });
    if (!known) receivers_.push_back({rank, relay_description_tag, nullptr, {}});
  };
  size_t in_message = 0, most_in_message = 0;  // ranks that one message describes
  for (int i = group->first_realm; i < group->end_realm; ++i) {
    const plan::Realm& realm = plan.realms[static_cast<size_t>(i)];
    if (realm.node != team.node() && team.local_rank() == 0 && may_have_data_in(realm, facts, team.node())) {
      const int relay = relay_of(plan, *group, static_cast<size_t>(i), team.node());
      if (relay == plan::direct)
        receivers_.push_back({realm.aggregator, description_tag, &realm, {}});
      else if (relay != team.node())
        add_relay(relay_rank(team, relay));
    }
    if (realm.aggregator != team.rank()) continue;
    realm_ = &realm;
    for (const int node : group->nodes) {
      if (node == team.node() || !may_have_data_in(realm, facts, node)) continue;
      const int relay = relay_of(plan, *group, static_cast<size_t>(i), node);
      const bool with_last =
          relay != plan::direct && !tellers_.empty() && tellers_.back() == relay_rank(team, relay);
      in_message = with_last ? in_message + ranks_of(team, node) : ranks_of(team, node);
      most_in_message = std::max(most_in_message, in_message);
      tellers_.push_back(relay == plan::direct ? candidates_of(team, node).front() : relay_rank(team, relay));
      senders_.push_back({node, {}});
    }
  }
  for (const size_t i : realms_relayed_by(team, plan, *group)) {
    const plan::Realm& realm = plan.realms[i];
    Relayed relayed{&realm, {}, 0, {}};
    size_t ranks = 0;
    for (const int node : cluster_of(*group, plan.combined_nodes, team.node())) {
      if (!may_have_data_in(realm, facts, node)) continue;
      relayed.nodes.push_back(node);
      ranks += ranks_of(team, node);
    }
    relayed.room = plan::descriptions_bytes(facts, static_cast<int64_t>(ranks));
    if (!relayed.nodes.empty()) relayed_.push_back(std::move(relayed));
    if (!neighbours_.empty()) continue;
    for (const int node : cluster_of(*group, plan.combined_nodes, team.node())) {
      if (node == team.node()) continue;
      neighbours_.push_back({node, {}});
      most_in_message = std::max(most_in_message, ranks_of(team, node));
    }
  }
  received_.resize(
      static_cast<size_t>(plan::descriptions_bytes(facts, static_cast<int64_t>(most_in_message))));
  sends_.reserve(receivers_.size() + relayed_.size());
  mine_.reserve(static_cast<size_t>(slot_bytes_));
  under_way_bytes_ = std::ssize(received_) + slot_bytes_;
  charge_ = Charge(opened.budget, under_way_bytes_);
}

Status Descriptions::gather(const OpenFile& opened, const Request& request, const plan::Plan& plan,
                            std::byte* scratch) {
  mpi::Team& team = opened.team;
  if (!exchanging_group(plan, team.node())) return {};
  std::byte* const my_slot = scratch + team.local_rank() * slot_bytes_;
  Status mine = without_exceptions([&]() -> Status {
    if (request.bytes == 0) return {};
    const pattern::Nest* before = nullptr;
    add(Description(*request.file, {request.position, request.position + request.bytes}), before, mine_,
        slot_bytes_);
    if (std::cmp_greater(mine_.size(), slot_bytes_)) {
      const Slot head{0, Slot::cannot};
      std::memcpy(my_slot, &head, sizeof head);
    } else {
      std::memcpy(my_slot, mine_.data(), mine_.size());
    }
    return {};
  });
  if (!mine || request.bytes == 0) std::memset(my_slot, 0, sizeof(Slot));
  if (!team.node_barrier()) return team.failure();
  const auto ranks = static_cast<size_t>(team.local_size());
  const int64_t bundle_bytes = team.local_rank() == 0 ? bring_together(scratch, ranks) : 0;
  if (!team.node_barrier()) return team.failure();
  // A rank that is not the leader does not know where the bundle ends; the heads say so.
  Status learnt = without_exceptions([&] {
    std::span<const std::byte> bundle(scratch, static_cast<size_t>(slot_bytes_) * ranks);
    return learn(bundle, ranks, own_);
  });
  if (learnt) learnt = without_exceptions([&] { return shorten(bundle_bytes); });
  Status told = tell(team, scratch, bundle_bytes);
  if (!team.failure()) return team.failure();
  charge_ = Charge(opened.budget, learnt_bytes_ + under_way_bytes_);
  received_ = {};
  mine_ = {};
  receivers_ = {};
  relayed_ = {};
  tellers_ = {};
  charge_ = Charge(opened.budget, learnt_bytes_);
  return !mine ? std::move(mine) : !told ? std::move(told) : std::move(learnt);
}

// Adds a rank's description to a bundle. `before` is the nest of the last one that has data. If that makes it
// longer than `most_bytes`, it may lack a part of the nest.
void Descriptions::add(const Description& rank, const pattern::Nest*& before, std::vector<std::byte>& bundle,
                       int64_t most_bytes) {
  const size_t begin = bundle.size();
  Slot head;
  bundle.resize(begin + sizeof head);
  if (!rank.data.empty()) {
    const pattern::Nest* const nest = rank.file.nest().get();
    if (nest != before) encode(*nest, bundle, most_bytes);
    before = nest;
    head.nest_bytes = static_cast<int32_t>(bundle.size() - begin - sizeof head);
    for (const int64_t number :
         {rank.file.displacement(), rank.file.extent(), rank.data.begin, rank.data.end})
      pattern::encode(number, bundle);
    head.number_bytes = static_cast<int32_t>(bundle.size() - begin - sizeof head) - head.nest_bytes;
  }
  std::memcpy(bundle.data() + begin, &head, sizeof head);
}

// Makes a bundle for each aggregator, of what the ranks ask for in its realm alone, unless all that they ask
// for, which takes `bytes`, is not much longer.
Status Descriptions::shorten(int64_t bytes) {
  if (!described_ || slot_bytes_ <= worth_shortening_bytes) return {};
  const int64_t left = most_bytes_ - most_bytes_ / share_for_others - learnt_bytes_ - under_way_bytes_;
  const int64_t most = std::min(left, std::max(most_shortened_bytes, slot_bytes_ * std::ssize(own_.ranks)));
  int64_t sum = 0;
  std::vector<Description> parts;  // keeps the nests, which are told from each other by their addresses
  for (Receiver& receiver : receivers_) {
    if (!receiver.realm || !owns_by_offsets(*receiver.realm)) continue;
    if (sum >= most) break;
    parts.clear();
    std::vector<std::byte> bundle;
    const pattern::Nest* before = nullptr;
    for (const Description& rank : own_.ranks) {
      Result<Description> part = shorter(rank, *receiver.realm);
      if (!part) return part.error();
      parts.push_back(std::move(*part));
      add(parts.back(), before, bundle);
    }
    if (2 * std::ssize(bundle) > bytes || sum + std::ssize(bundle) > left) continue;
    bundle.shrink_to_fit();
    sum += std::ssize(bundle);
    receiver.bundle = std::move(bundle);
  }
  under_way_bytes_ += sum;
  return {};
}

// Makes a bundle of the slots at the front of `scratch`: without the room between them, and without repeated
// nests. Returns its length.
int64_t Descriptions::bring_together(std::byte* scratch, size_t ranks) const {
  std::byte *end = scratch, *nest = nullptr;
  int32_t nest_bytes = 0;  // of the last nest in the bundle
  for (size_t i = 0; i < ranks; ++i) {
    const std::byte* const slot = scratch + static_cast<int64_t>(i) * slot_bytes_;
    Slot head;
    std::memcpy(&head, slot, sizeof head);
    const std::byte* body = slot + sizeof head;
    if (head.nest_bytes > 0 && head.nest_bytes == nest_bytes && std::equal(nest, nest + nest_bytes, body)) {
      body += head.nest_bytes;
      head.nest_bytes = 0;
    }
    const auto length = static_cast<size_t>(head.bytes()) - sizeof head;
    std::memmove(end + sizeof head, body, length);
    std::memcpy(end, &head, sizeof head);
    if (head.nest_bytes > 0) {
      nest = end + sizeof head;
      nest_bytes = head.nest_bytes;
    }
    end += sizeof head + length;
  }
  return end - scratch;
}

// Sends the bundle, or a shorter one, to every aggregator or relay that needs it, and receives those of other
// nodes.
Status Descriptions::tell(mpi::Team& team, std::byte* bundle, int64_t bytes) {
  Status outcome;
  for (Receiver& receiver : receivers_) {
    std::vector<std::byte>& shorter = receiver.bundle;
    const Message message{shorter.empty() ? bundle : shorter.data(),
                          shorter.empty() ? bytes : std::ssize(shorter), receiver.rank, receiver.tag};
    note(outcome, start_send(team, counters_, message, sends_));
  }
  if (!neighbours_.empty()) note(outcome, hear_neighbours(team));
  if (!team.failure()) return team.failure();
  note(outcome, pass_on(team));
  note(outcome, hear(team));
  for (MPI_Request& send : sends_) {
    const int code = team.finish(send);
    if (!team.failure()) return team.failure();
    note(outcome, mpi::checked_mpi(code, "sending descriptions of requests to other nodes"));
  }
  sends_.clear();
  return outcome;
}

// Receives a message of descriptions.
Status Descriptions::receive(mpi::Team& team, int rank, int tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  int code = PMPI_Irecv(received_.data(), static_cast<int>(received_.size()), MPI_BYTE, rank, tag,
                        team.comm(), &request);
  if (code == MPI_SUCCESS) code = team.finish(request);
  if (!team.failure()) return team.failure();
  return mpi::checked_mpi(code, "receiving descriptions of requests from other nodes");
}

Status Descriptions::hear(mpi::Team& team) {
  Status outcome;
  std::span<const std::byte> rest;  // of the last message
  bool readable = true;             // what is left of it
  for (size_t i = 0; i < senders_.size(); ++i) {
    DescribedNode& sender = senders_[i];
    // A relay tells of several nodes in one message.
    if (i == 0 || tellers_[i] != tellers_[i - 1]) {
      Status received = receive(team, tellers_[i], description_tag);
      if (!team.failure()) return team.failure();
      rest = received_;
      readable = received.ok();
      note(outcome, std::move(received));
    }
    if (readable) {
      Status learnt =
          without_exceptions([&] { return learn(rest, ranks_of(team, sender.node), sender, realm_); });
      readable = learnt.ok();
      note(outcome, std::move(learnt));
    }
  }
  std::erase_if(senders_, [](const DescribedNode& sender) { return sender.ranks.empty(); });
  return outcome;
}

// Hears what the other nodes of this relay's cluster ask for.
Status Descriptions::hear_neighbours(mpi::Team& team) {
  Status outcome;
  for (DescribedNode& neighbour : neighbours_) {
    const bool tells = std::any_of(relayed_.begin(), relayed_.end(), [&](const Relayed& relayed) {
      return std::find(relayed.nodes.begin(), relayed.nodes.end(), neighbour.node) != relayed.nodes.end();
    });
    if (!tells) continue;
    Status heard = receive(team, candidates_of(team, neighbour.node).front(), relay_description_tag);
    if (!team.failure()) return team.failure();
    if (heard) {
      std::span<const std::byte> bundle = received_;
      heard = without_exceptions([&] { return learn(bundle, ranks_of(team, neighbour.node), neighbour); });
    }
    note(outcome, std::move(heard));
  }
  return outcome;
}

// Tells aggregators of other clusters what the nodes of this relay's cluster ask for. Who cannot tell says
// so.
Status Descriptions::pass_on(mpi::Team& team) {
  static Slot cannot_be_read{-1, 0}, cannot_be_told{0, Slot::cannot};
  Status outcome;
  int64_t shortened_bytes = 0;
  for (Relayed& relayed : relayed_) {
    std::span<std::byte> bundle(reinterpret_cast<std::byte*>(&cannot_be_read), sizeof cannot_be_read);
    Status brought = without_exceptions([&]() -> Status {
      const bool shorten = slot_bytes_ > worth_shortening_bytes && owns_by_offsets(*relayed.realm) &&
                           shortened_bytes < most_shortened_bytes && has_room_for(relayed.room);
      auto made = bundle_of(team, relayed, shorten);
      if (!made) return made.error();
      bundle = *made;
      return {};
    });
    if (!described_) bundle = {reinterpret_cast<std::byte*>(&cannot_be_told), sizeof cannot_be_told};
    if (relayed.shortened) shortened_bytes += std::ssize(relayed.bundle);
    note(outcome, std::move(brought));
    note(outcome,
         start_send(team, counters_,
                    {bundle.data(), std::ssize(bundle), relayed.realm->aggregator, description_tag}, sends_));
  }
  return outcome;
}

// What a relay tells the aggregator of a realm. A bundle that is not shortened serves all realms in which the
// same nodes may have data, so that a relay does not keep one for each of them.
Result<std::span<std::byte>> Descriptions::bundle_of(const mpi::Team& team, Relayed& relayed, bool shorten) {
  if (!shorten) {
    for (Relayed& other : relayed_) {
      if (!other.shortened && !other.bundle.empty() && other.nodes == relayed.nodes)
        return std::span(other.bundle);
    }
    if (described_ && !has_room_for(relayed.room)) (void)forgo();
  }
  if (!described_) return std::span<std::byte>();
  if (Status brought = bring_together(team, relayed, shorten); !brought) return brought.error();
  under_way_bytes_ += std::ssize(relayed.bundle);
  return std::span(relayed.bundle);
}

// Makes the bundle of a relay for a realm: those of the nodes that may have data in it, or shorter ones if
// these fit into the room of their receiver.
Status Descriptions::bring_together(const mpi::Team& team, Relayed& relayed, bool shortened) const {
  std::vector<std::byte> bundle;
  std::vector<Description> parts;  // keeps the nests, which are told from each other by their addresses
  for (const int node : relayed.nodes) {
    const DescribedNode& its = described(node);
    if (its.ranks.size() != ranks_of(team, node)) return spoilt();
    const pattern::Nest* before = nullptr;
    for (const Description& rank : its.ranks) {
      if (!shortened) {
        add(rank, before, bundle);
        continue;
      }
      Result<Description> part = shorter(rank, *relayed.realm);
      if (!part) return part.error();
      parts.push_back(std::move(*part));
      add(parts.back(), before, bundle);
    }
  }
  if (shortened && std::ssize(bundle) > relayed.room) return bring_together(team, relayed, false);
  relayed.bundle = std::move(bundle);
  relayed.shortened = shortened;
  return {};
}

const DescribedNode& Descriptions::described(int node) const {
  if (node == own_.node) return own_;
  return *std::find_if(neighbours_.begin(), neighbours_.end(),
                       [&](const DescribedNode& neighbour) { return neighbour.node == node; });
}

// Learns what the next ranks in a bundle ask for, which are those of a node. If a realm is given, those
// without data in it are left out.
Status Descriptions::learn(std::span<const std::byte>& bundle, size_t ranks, DescribedNode& node,
                           const plan::Realm* realm) {
  if (!described_) return {};
  constexpr auto one_bytes = static_cast<int64_t>(sizeof(Description));
  learnt_bytes_ += static_cast<int64_t>(ranks) * one_bytes;
  if (!has_room_for(0)) return forgo();
  node.ranks.reserve(ranks);
  pattern::NestRef nest;
  const pattern::Nest* kept = nullptr;  // the last one
  for (size_t i = 0; i < ranks; ++i) {
    Slot head;
    if (bundle.size() < sizeof head) return spoilt();
    std::memcpy(&head, bundle.data(), sizeof head);
    if (head.number_bytes == Slot::cannot) return forgo();
    if (head.nest_bytes < 0 || std::cmp_less(bundle.size(), head.bytes())) return spoilt();
    std::span<const std::byte> its =
        bundle.subspan(sizeof head, static_cast<size_t>(head.bytes()) - sizeof head);
    bundle = bundle.subspan(static_cast<size_t>(head.bytes()));
    Description rank;
    if (head.number_bytes > 0) {
      if (head.nest_bytes > 0) {
        Result<pattern::NestRef> decoded = pattern::decode_nest(its);
        if (!decoded) return decoded.error();
        nest = std::move(*decoded);
      }
      int64_t numbers[4];
      for (int64_t& number : numbers) {
        const Result<int64_t> decoded = pattern::decode_number(its);
        if (!decoded) return decoded.error();
        number = *decoded;
      }
      if (!nest) return spoilt();
      rank = Description(pattern::Access(nest, numbers[0], numbers[1]), {numbers[2], numbers[3]});
    }
    if (realm && !has_data_in(*realm, rank)) continue;
    // Ranks may have a nest in common. An access may also have made a longer one of it.
    if (!rank.data.empty() && rank.file.nest().get() != kept) {
      kept = rank.file.nest().get();
      learnt_bytes_ += kept->memory_bytes();
      if (!has_room_for(0)) return forgo();
    }
    node.ranks.push_back(std::move(rank));
  }
  learnt_bytes_ -= static_cast<int64_t>(ranks - node.ranks.size()) * one_bytes;
  node.ranks.shrink_to_fit();
  return {};
}

// Whether there is memory for so much more.
bool Descriptions::has_room_for(int64_t bytes) const {
  return learnt_bytes_ + under_way_bytes_ + bytes <= most_bytes_;
}

// Gives up what has been learnt.
Status Descriptions::forgo() {
  described_ = false;
  learnt_bytes_ = 0;
  own_.ranks = {};
  for (auto* nodes : {&senders_, &neighbours_}) {
    for (DescribedNode& node : *nodes) node.ranks = {};
  }
  return {};
}

void Descriptions::move(int64_t shift_bytes) {
  for (Description& rank : own_.ranks) rank.move(shift_bytes);
  for (auto* nodes : {&senders_, &neighbours_}) {
    for (DescribedNode& node : *nodes) {
      for (Description& rank : node.ranks) rank.move(shift_bytes);
    }
  }
}

}  // namespace concilio::exec
