// Exchange by nonblocking messages: one for each node and window that share bytes. On each node, the realms
// of other nodes are divided among those of its ranks that all nodes know. An aggregator serves its own
// realm. A rank posts all its messages of a round before it waits for any.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/copy_bytes.h"
#include "base/exceptions.h"
#include "base/waiting.h"
#include "exec/two_phase/exchange.h"
#include "exec/two_phase/node_messages.h"
#include "exec/windows/coverage.h"
#include "exec/windows/window_parts.h"
#include "exec/windows/window_set.h"
#include "mpi/error.h"
#include "plan/layout/exchange.h"
#include "plan/layout/footprint.h"

namespace concilio::exec {
namespace {

constexpr auto head_bytes = static_cast<int64_t>(sizeof(MessageHead));

// Room for so many requests.
std::vector<MPI_Request> room_for(size_t requests) {
  std::vector<MPI_Request> room;
  room.reserve(requests);
  return room;
}

// The requests under way in one exchange; they use a vector that was allocated before.
struct Pending {
  mpi::Team& team;
  Counters& counters;
  std::vector<MPI_Request>& requests;

  Pending(mpi::Team& its_team, Counters& its_counters, std::vector<MPI_Request>& room)
      : team(its_team), counters(its_counters), requests(room) {
    requests.clear();
  }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  // After a failure no request may still write to memory that is about to be freed.
  ~Pending() {
    for (MPI_Request& request : requests) {
      if (request == MPI_REQUEST_NULL) continue;
      PMPI_Cancel(&request);
      if (team.finish(request) != MPI_SUCCESS && request != MPI_REQUEST_NULL) PMPI_Request_free(&request);
    }
  }
  Status send(const Message& message, SendMode mode = SendMode::standard) {
    return start_send(team, counters, message, requests, mode);
  }
  Status receive(const Message& message) { return start_receive(team, message, requests); }
  Status wait(size_t i) {
    const int code = team.finish(requests[i]);
    if (auto whole = team.failure(); code != MPI_SUCCESS && !whole) return whole;
    return mpi::checked_mpi(code, "waiting for messages between nodes");
  }
  Status wait_all() {
    Status outcome;
    for (size_t i = 0; i < requests.size(); ++i) {
      note(outcome, wait(i));
    }
    return outcome;
  }
};

class MessageExchange : public Exchange {
 public:
  explicit MessageExchange(const ExchangeContext& context) : Exchange(context) {
    for (const int node : group_.nodes) {
      if (node != team_.node()) other_nodes_.push_back(node);
    }
    if (other_nodes_.empty()) return;
    for (auto realm = static_cast<size_t>(group_.first_realm); realm < static_cast<size_t>(group_.end_realm);
         ++realm) {
      const plan::Realm& its = plan_.realms[realm];
      if (its.aggregator == team_.rank()) {
        served_.push_back(realm);
        for (const int node : other_nodes_)
          sharers_.push_back({node, may_have_data_in(its, context.facts, node), WindowSet(its)});
      }
      if (its.node == team_.node()) continue;
      foreign_.push_back(realm);
      if (carrier_of(team_, realm, team_.node()) != team_.rank()) continue;
      carried_.push_back(realm);
      shares_.push_back({team_.node(), may_have_data_in(its, context.facts, team_.node()), WindowSet(its)});
    }
    for (auto* room : {&sends_, &replies_}) *room = room_for(carried_.size());
    for (auto* room : {&receives_, &answers_}) *room = room_for(other_nodes_.size());
    peers_.reserve(other_nodes_.size());
    wanted_.reserve(carried_.size());
    parts_.reserve(images_.most_parts());
    int64_t sets_bytes = 0;
    for (const auto* shares : {&shares_, &sharers_}) {
      for (const Share& share : *shares) sets_bytes += share.windows.bytes();
    }
    sets_charge_ = Charge(budget_, sets_bytes);
  }

  Status tell_requests(const Request& request) override {
    if (other_nodes_.empty()) return {};
    // What the ranks of this node ask for is brought together in the images.
    const auto shared = [&](size_t realm) { return reinterpret_cast<uint64_t*>(images_.map(realm, 0)); };
    if (team_.local_rank() == 0) {
      for (const size_t realm : foreign_)
        std::memset(shared(realm), 0, static_cast<size_t>(WindowSet::most_bytes(realm_at(realm))));
    }
    if (!team_.node_barrier()) return team_.failure();
    Status outcome = without_exceptions([&]() -> Status {
      for (const size_t realm : foreign_) {
        WindowSet mine(realm_at(realm));
        mine.add(request, realm_at(realm), parts_);
        mine.add_to(shared(realm));
      }
      return {};
    });
    if (!team_.node_barrier()) return team_.failure();
    for (size_t i = 0; i < carried_.size(); ++i) shares_[i].windows.copy_from(shared(carried_[i]));
    note(outcome, tell_shares());
    return outcome;
  }

  Status sit_out(int64_t) override { return {}; }

  Status gather(int64_t round) override {
    Stopwatch time(counters_, Counter::exchange_ns);
    Pending sends = pending(sends_);
    Status outcome;
    for (size_t i = 0; i < carried_.size(); ++i) {
      if (!takes_part(i, round)) continue;
      const size_t realm = carried_[i];
      note(outcome, sends.send(image_message(realm, round, images_.parts(realm, round)),
                               mode_of_round(round, group_.rounds)));
    }
    for (const size_t realm : served_) note(outcome, receive_images(realm, round));
    note(outcome, sends.wait_all());
    return outcome;
  }

  Status scatter(int64_t round, ReadsMore& storage) override {
    Stopwatch time(counters_, Counter::exchange_ns);
    wanted_.clear();
    Status outcome = ask(round, storage);
    if (!outcome) return outcome;
    for (const WantedWindow& one : wanted_) {
      const MessageHead& reply = images_.window_head(one.realm, round);
      const auto parts = images_.parts(one.realm, round);
      if (!one.whole) unpack_in_place(parts, images_.window(one.realm, round), reply.data_bytes);
      images_.header(one.realm, round).valid_end.store(reply.valid_end, std::memory_order_relaxed);
    }
    return {};
  }

 private:
  // The windows of a realm in which a node has data.
  struct Share {
    int node;
    bool any;  // false: as all nodes know, there are none
    WindowSet windows;
  };
  // A window that this node wants bytes of.
  struct WantedWindow {
    size_t realm;
    bool whole;
  };

  Pending pending(std::vector<MPI_Request>& room) { return {team_, counters_, room}; }
  const plan::Realm& realm_at(size_t realm) const { return plan_.realms[realm]; }
  // Whether this node has data in the window of a round of a carried realm.
  bool takes_part(size_t carried, int64_t round) const {
    return images_.has(carried_[carried], round) && shares_[carried].windows.has(round);
  }

  // Tells aggregators of other nodes in which of their windows this node has data, and is told likewise.
  Status tell_shares() {
    Pending sends = pending(sends_), receives = pending(receives_);
    Status outcome;
    for (size_t i = 0; i < carried_.size(); ++i) {
      if (shares_[i].any) note(outcome, sends.send(message_of(shares_[i], realm_at(carried_[i]).aggregator)));
    }
    for (const size_t realm : served_) {
      for (Share& share : sharers_) {
        if (share.any)
          note(outcome, receives.receive(message_of(share, carrier_of(team_, realm, share.node))));
      }
    }
    note(outcome, receives.wait_all());
    note(outcome, sends.wait_all());
    return outcome;
  }
  static Message message_of(Share& share, int peer) {
    return {share.windows.data(), share.windows.bytes(), peer, description_tag};
  }

  // The carriers of the other nodes that have data in the window of a round.
  const std::vector<int>& peers_of(size_t realm, int64_t round) {
    peers_.clear();
    for (const Share& share : sharers_) {
      if (share.windows.has(round)) peers_.push_back(carrier_of(team_, realm, share.node));
    }
    return peers_;
  }

  std::byte* staging(size_t realm, size_t i) const {
    return workspace_.staging().data() +
           static_cast<int64_t>(i % 2) * plan::message_bytes(realm_at(realm).image_bytes);
  }

  // The image, sent from where it lies: a head, the description of what the image covers (unless that is the
  // whole window), and the window. If it has holes, its covered bytes are packed at the window's front.
  Message image_message(size_t realm, int64_t round, std::span<const WindowPart> parts) {
    std::byte* window = images_.window(realm, round);
    MessageHead head;
    head.data_bytes = total_bytes(parts);
    head.whole = all_full(parts);
    Coverage coverage;
    if (!head.whole) {
      coverage = Coverage::of(parts, images_.wish(realm, round));
      head.data_bytes = pack(parts, window);
      head.coverage_bytes = static_cast<int64_t>(coverage.bytes().size());
    }
    // The description overwrites the map, whose contents it holds.
    std::byte* begin = window - head.coverage_bytes - head_bytes;
    if (!head.whole) std::memcpy(begin + head_bytes, coverage.bytes().data(), coverage.bytes().size());
    std::memcpy(begin, &head, sizeof head);
    return {begin, head_bytes + head.coverage_bytes + head.data_bytes, realm_at(realm).aggregator,
            data_tag(realm)};
  }

  // Merges the images of other nodes into a window. Two receives are under way at a time.
  Status receive_images(size_t realm, int64_t round) {
    auto parts = images_.parts(realm, round);
    if (parts.empty()) return {};
    const std::vector<int>& peers = peers_of(realm, round);
    Pending receives = pending(receives_);
    auto post = [&](size_t i) -> Status {
      if (i >= peers.size()) return {};
      return receives.receive({staging(realm, i), realm_at(realm).image_bytes, peers[i], data_tag(realm)});
    };
    if (auto status = post(0); !status) return status;
    for (size_t i = 0; i < peers.size(); ++i) {
      if (auto status = post(i + 1); !status) return status;
      if (auto status = receives.wait(i); !status) return status;
      merge(staging(realm, i), parts, images_.window(realm, round));
    }
    return {};
  }

  void merge(const std::byte* message, std::span<WindowPart> parts, std::byte* window) const {
    Stopwatch time(counters_, Counter::copy_ns);
    MessageHead head;
    std::memcpy(&head, message, sizeof head);
    const std::byte* next = message + head_bytes + head.coverage_bytes;
    if (head.whole) {
      copy_bytes(window, next, head.data_bytes);
      take_time_of_copy(head.data_bytes);
      for (WindowPart& part : parts) part.map.mark(part.file);
      return;
    }
    const auto coverage = Coverage(std::span(message + head_bytes, static_cast<size_t>(head.coverage_bytes)));
    coverage.for_each(parts, [&](const WindowPart& part, pattern::Interval covered) {
      copy_bytes(address(part, covered), next, covered.length());
      next += covered.length();
      pattern::CoverageMap(part.map).mark(covered);
    });
    take_time_of_copy(next - message - head_bytes - head.coverage_bytes);
  }

  Status ask(int64_t round, ReadsMore& storage) {
    Pending sends = pending(sends_), replies = pending(replies_);
    Status outcome;
    for (size_t i = 0; i < carried_.size(); ++i) {
      if (!takes_part(i, round)) continue;
      const size_t realm = carried_[i];
      const auto parts = images_.parts(realm, round);
      MessageHead wish;
      wish.data_bytes = covered_bytes(parts);
      wish.whole = wish.data_bytes == total_bytes(parts);
      Coverage coverage;
      const std::span<std::byte> room = images_.wish(realm, round);
      if (!wish.whole && wish.data_bytes > 0) coverage = Coverage::of(parts, room.subspan(head_bytes));
      wish.coverage_bytes = static_cast<int64_t>(coverage.bytes().size());
      std::memcpy(room.data(), &wish, sizeof wish);
      const int aggregator = realm_at(realm).aggregator;
      note(outcome,
           replies.receive({reinterpret_cast<std::byte*>(&images_.window_head(realm, round)),
                            head_bytes + realm_at(realm).window_bytes, aggregator, data_tag(realm)}));
      note(outcome, sends.send({room.data(), head_bytes + wish.coverage_bytes, aggregator, wish_tag(realm)}));
      wanted_.push_back({realm, wish.whole != 0});
    }
    for (const size_t realm : served_) note(outcome, answer(realm, round, storage));
    note(outcome, replies.wait_all());
    note(outcome, sends.wait_all());
    return outcome;
  }

  // Answers every other node's wish for a window. A wish is received at the front of a staging message, and
  // the answer is built behind it.
  Status answer(size_t realm, int64_t round, ReadsMore& storage) {
    auto parts = images_.parts(realm, round);
    if (parts.empty()) return {};
    Status outcome;
    int64_t valid_end = images_.header(realm, round).valid_end.load(std::memory_order_relaxed);
    const int64_t longest_wish = head_bytes + realm_at(realm).map_bytes;
    Pending wishes = pending(receives_), answers = pending(answers_);
    const std::vector<int>& peers = peers_of(realm, round);
    for (size_t i = 0; i < peers.size(); ++i) {
      const int peer = peers[i];
      if (i >= 2) {
        if (auto status = answers.wait(i - 2); !status) return status;
      }
      std::byte* message = staging(realm, i);
      if (auto status = wishes.receive({message, longest_wish, peer, wish_tag(realm)}); !status)
        return status;
      if (auto status = wishes.wait(i); !status) return status;
      MessageHead wish;
      std::memcpy(&wish, message, sizeof wish);
      const auto coverage = Coverage(
          std::span<const std::byte>(message + head_bytes, static_cast<size_t>(wish.coverage_bytes)));
      // A valid end of 0 says that the window could not be read.
      if (group_.marks_wanted && valid_end > 0 && wish.data_bytes > 0) {
        // Many MPIs do not move them while this rank waits for storage.
        note(outcome, answers.wait_all());
        note(outcome, without_exceptions([&]() -> Status {
               const Result<int64_t> end = storage.read_more(parts, wish.whole ? nullptr : &coverage);
               valid_end = end ? std::min(valid_end, *end) : 0;
               return end ? Status() : Status(end.error());
             }));
        if (!outcome) valid_end = 0;
      }
      Message reply{message + longest_wish, head_bytes + wish.data_bytes, peer, data_tag(realm)};
      const MessageHead head{wish.data_bytes, wish.whole, valid_end, 0};
      if (wish.whole) {
        reply.data = reinterpret_cast<std::byte*>(&images_.window_head(realm, round));
      } else if (wish.data_bytes > 0) {
        std::byte* next = reply.data + head_bytes;
        coverage.for_each(parts, [&](const WindowPart& part, pattern::Interval covered) {
          copy_bytes(next, address(part, covered), covered.length());
          next += covered.length();
        });
        take_time_of_copy(wish.data_bytes);
      }
      std::memcpy(reply.data, &head, sizeof head);
      if (auto status = answers.send(reply); !status) return status;
    }
    note(outcome, answers.wait_all());
    return outcome;
  }

  std::vector<int> other_nodes_;          // the other nodes of the group
  std::vector<size_t> foreign_;           // the group's realms that are aggregated on other nodes
  std::vector<Share> shares_;             // this node's in each carried realm
  std::vector<Share> sharers_;            // the other nodes' in this aggregator's realm
  Charge sets_charge_;                    // for the sets of both
  std::vector<int> peers_;                // in the window that was asked for last
  std::vector<pattern::Interval> parts_;  // room for those of one window
  std::vector<MPI_Request> sends_, replies_, receives_, answers_;
  std::vector<WantedWindow> wanted_;  // the windows wanted in this round
};

}  // namespace

std::unique_ptr<Exchange> make_message_exchange(const ExchangeContext& context) {
  return std::make_unique<MessageExchange>(context);
}

}  // namespace concilio::exec
