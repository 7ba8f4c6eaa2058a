#include "plan/choose/striped.h"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "plan/choose/at_home.h"
#include "plan/choose/cost.h"
#include "plan/choose/holey_windows.h"
#include "plan/choose/sparse_reads.h"
#include "plan/layout/windows.h"

namespace concilio::plan {
namespace {

// What is asked of storage for a window, or for a part of one.
struct Transfer {
  double requests = 1;    // in all
  double in_turn = 1;     // of these, so many wait for each other
  double share = 1;       // of the window's bytes
  bool holes = false;     // so its parts are moved one after another
  bool rewrites = false;  // old bytes are read first, under a lock
  double lock_seconds = 0;

  Transfer of_part(double part) const {
    Transfer its = *this;
    its.requests = std::max(1.0, requests * part);
    its.in_turn = std::max(1.0, in_turn * part);
    return its;
  }
};

Transfer transfer_of(const HoleyWindows& holey, double windows, const Prices& prices) {
  if (holey.how == Flush::read_modify_write)
    return {.holes = true, .rewrites = true, .lock_seconds = locking_seconds(prices)};
  const double requests = std::max(1.0, static_cast<double>(holey.all.runs) / windows);
  const double at_once = holey.how == Flush::batch ? served_at_once(Operation::write, requests, prices) : 1;
  return {requests, requests / at_once,
          static_cast<double>(holey.all.covered_bytes) / static_cast<double>(holey.all.range_bytes), true};
}

// So many windows are played, but some of each realm; the others take as long on average.
constexpr int64_t most_windows_played = 1024, most_windows_of_realm = 8;

// The targets. Each works on a number of requests at the same time, and moves their bytes one after another.
class Targets {
 public:
  Targets(const StorageFacts& storage, const Prices& prices)
      : stripe_bytes_(storage.stripe_bytes),
        read_(prices.read.window, static_cast<double>(stripe_bytes_)),
        write_(prices.write.window, static_cast<double>(stripe_bytes_)),
        channels_(static_cast<size_t>(std::clamp(prices.requests_of_target, 1.0, most_channels))),
        free_(static_cast<size_t>(storage.stripe_targets) * (1 + channels_)) {}

  // When a part of a window is moved, and how long it takes if nothing else is asked for.
  struct Served {
    double done, alone_seconds;
  };
  // The part is asked for at a time, and not before any other was asked for.
  Served serve(Operation operation, pattern::Interval bytes, const Transfer& transfer, double now) {
    const RequestSeconds& stripe = operation == Operation::read ? read_ : write_;
    const double byte_seconds = transfer.share * stripe.of_bytes / static_cast<double>(stripe_bytes_);
    const int64_t targets = std::ssize(free_) / static_cast<int64_t>(1 + channels_);
    const int64_t first = floor_divide(bytes.begin, stripe_bytes_),
                  last = floor_divide(bytes.end - 1, stripe_bytes_);
    const int64_t target = first - floor_divide(first, targets) * targets;  // of the first stripe
    // Requests that wait for each other, each of which is served by one target or by several together.
    const double one_bytes =
        std::min(static_cast<double>(bytes.length()) / transfer.requests, static_cast<double>(stripe_bytes_));
    Served served{now, transfer.in_turn * (stripe.latency + one_bytes * byte_seconds)};
    for (int64_t i = 0; i < std::min(targets, last - first + 1); ++i) {
      int64_t its_bytes = ((last - first - i) / targets + 1) * stripe_bytes_;
      if (i == 0) its_bytes -= bytes.begin - first * stripe_bytes_;
      if ((last - first) % targets == i) its_bytes -= stripe_bytes_ - (bytes.end - last * stripe_bytes_);
      const double moving = static_cast<double>(its_bytes) * byte_seconds;
      const double requests = std::max(
          1.0, transfer.requests * static_cast<double>(its_bytes) / static_cast<double>(bytes.length()));
      const double worked = requests * stripe.latency + moving;
      served.done = std::max({served.done, move((target + i) % targets, moving, now),
                              work((target + i) % targets, requests, worked, now)});
    }
    return served;
  }

 private:
  static constexpr double most_channels = 64;

  // Of a target: when it has moved all that it has been asked for, and when each of its channels is free.
  std::span<double> of_target(int64_t target) {
    return std::span(free_).subspan(static_cast<size_t>(target) * (1 + channels_), 1 + channels_);
  }
  double move(int64_t target, double seconds, double now) {
    double& free = of_target(target)[0];
    return free = std::max(free, now) + seconds;
  }
  // One request takes the channel that is free first. Several go through all of them, with those of others
  // between them.
  double work(int64_t target, double requests, double seconds, double now) {
    const auto channels = of_target(target).subspan(1);
    const size_t taken = requests > 1 ? channels_ : 1;
    double done = now;
    for (size_t i = 0; i < taken; ++i) {
      double& free = *std::ranges::min_element(channels);
      free = std::max(free, now) + seconds / static_cast<double>(taken);
      done = std::max(done, free);
    }
    return done;
  }

  int64_t stripe_bytes_;
  RequestSeconds read_, write_;  // of a stripe
  size_t channels_;              // of each target
  std::vector<double> free_;     // of each target in turn, as in of_target()
};

// How much of the time links are busy while all nodes exchange: each has two messages under way at a time,
// and several send to the same one. (As seen in simulations.)
constexpr double busy_links = 0.5;

// An aggregator, and what its windows cost besides storage.
struct Client {
  const Realm* realm;
  int64_t windows;                       // of the realm
  double link_seconds, sorting_seconds;  // of what comes from other nodes, or goes there, in all windows
  int64_t round = 0;                     // its next one
  bool asking = false;
  double done = 0;                                // when storage had done the one before
  std::array<double, most_slots> may_ask_from{};  // in a round, by its slot

  // The part of all its bytes that a round brings.
  double part_of(int64_t in_round) const {
    return static_cast<double>(window_length(*realm, in_round)) / static_cast<double>(realm->bytes);
  }
};

// The aggregators of a group. Each has data in the windows of others, or its node's ranks have, so all go
// together through the exchange of one round after another, while storage is at work on their windows. These
// have two slots: what is written of a round is exchanged when all have done the one before the last; and
// what is read of a round may be read when the one before the last is exchanged. Without pipelining it is as
// if they had one.
struct Together {
  explicit Together(int64_t slots_of_windows) : slots(slots_of_windows) {}

  std::vector<Client> clients;
  int64_t bytes = 0;  // of all
  int64_t exchanged = 0, rounds = 0;
  double exchange_done = 0;  // of the last round that was exchanged
  // Of a round that clients are in, by its slot.
  struct Round {
    size_t left = 0;  // clients that have not done it
    double done = 0;  // when the last of the others had
  };
  std::array<Round, most_slots> open{};
  int64_t slots;

  double part_of(int64_t round) const {
    int64_t its_bytes = 0;
    for (const Client& client : clients) its_bytes += window_length(*client.realm, round);
    return static_cast<double>(its_bytes) / static_cast<double>(bytes);
  }
  Round& in_slot(int64_t round) { return open[static_cast<size_t>(round % slots)]; }
};

// Plays the windows of all groups, whose aggregators meet at the targets.
class Play {
 public:
  Play(const Facts& facts, const Layout& layout, const Transfer& transfer, const Prices& prices)
      : reads_(facts.operation == Operation::read),
        slots_(facts.wishes.pipelining ? most_slots : 1),
        transfer_(transfer),
        copy_seconds_(
            copy_seconds(facts, static_cast<double>(facts.digest.bytes), largest_piece_count(facts), prices)),
        targets_(facts.storage, prices),
        link_free_(facts.nodes.size()),
        storage_byte_seconds_(prices.node_bytes_per_second > 0 ? 1 / prices.node_bytes_per_second : 0),
        storage_link_free_(facts.nodes.size()),
        groups_(layout.groups.size(), Together(slots_)) {}

  void add(const Client& client) {
    Together& group = groups_[static_cast<size_t>(client.realm->group)];
    group.clients.push_back(client);
    group.bytes += client.realm->bytes;
    group.rounds = std::max(group.rounds, client.windows);
    ++clients_;
  }

  // The time until the last client has ended.
  double seconds() {
    for (Together& group : groups_) {
      if (reads_) {
        for (int64_t round = 0; round < slots_; ++round)
          open_round(group, round, [](const Client&) { return 0.0; });
      }
      go_on(group);
    }
    const int64_t most = std::max(most_windows_played, most_windows_of_realm * clients_);
    for (int64_t played = 0; !next_.empty() && played < most; ++played) {
      const Asking asking = next_.top();
      next_.pop();
      serve(asking);
    }
    double last = 0;
    for (const Together& group : groups_) {
      double done = group.exchange_done;
      for (const Together::Round& round : group.open) done = std::max(done, round.done);
      const auto played = static_cast<double>(std::max<int64_t>(1, rounds_done(group)));
      last = std::max(last, done * std::max(1.0, static_cast<double>(group.rounds) / played));
    }
    return last;
  }

 private:
  // A client asks for its window, or for what the file holds there.
  struct Asking {
    double when;
    Together* group;
    Client* client;
    bool old;
    bool operator>(const Asking& other) const { return when > other.when; }
  };

  // Calls f for each client that has a window in the round.
  template <typename F>
  static void for_each_client(Together& group, int64_t round, F&& f) {
    for (Client& client : group.clients) {
      if (client.windows > round) f(client);
    }
  }

  int64_t rounds_done(const Together& group) const {
    int64_t done = group.exchanged;
    for (const Together::Round& round : group.open) done -= !reads_ && round.left > 0 ? 1 : 0;
    return done;
  }

  // From now on clients may ask for their windows of the round, from when ready(client) says.
  template <typename Ready>
  void open_round(Together& group, int64_t round, Ready&& ready) {
    if (round >= group.rounds) return;
    group.in_slot(round) = {};
    for_each_client(group, round, [&](Client& client) {
      ++group.in_slot(round).left;
      client.may_ask_from[static_cast<size_t>(round % most_slots)] = ready(client);
      ask(group, client, round + 1);
    });
  }
  // Of a client that has done the round before: asks for its next window if that round is open.
  void ask(Together& group, Client& client, int64_t opened) {
    if (client.asking || client.round >= std::min(client.windows, opened)) return;
    const double from = client.may_ask_from[static_cast<size_t>(client.round % most_slots)];
    next_.push({std::max(from, client.done), &group, &client, transfer_.rewrites});
    client.asking = true;
  }
  // The first round that is not open yet.
  int64_t opened(const Together& group) const { return group.exchanged + (reads_ ? slots_ : 0); }

  // Exchanges what can be exchanged by now.
  void go_on(Together& group) {
    while (group.exchanged < group.rounds && group.in_slot(group.exchanged).left == 0) {
      const int64_t round = group.exchanged;
      const double copied = copy_seconds_ * group.part_of(round);
      double begin = std::max(group.exchange_done, group.in_slot(round).done);
      if (!reads_) begin += copied;
      pass_links(group, begin);
      // The client sorts the data of one node while those of another are under way.
      const auto sorted = [&](const Client& client) {
        return std::max(link_free(client), begin + client.sorting_seconds * client.part_of(round));
      };
      group.exchange_done = begin;
      for_each_client(group, round, [&](const Client& client) {
        group.exchange_done = std::max(group.exchange_done, sorted(client));
      });
      // Ranks take the windows one after another, and so wait for all of them.
      if (reads_) group.exchange_done += copied;
      const int64_t opening = opened(group);
      ++group.exchanged;
      open_round(group, opening,
                 [&](const Client& client) { return reads_ ? group.exchange_done : sorted(client); });
    }
  }

  void serve(const Asking& asking) {
    const auto [now, group, client, old] = asking;
    window(*client->realm, client->round, intervals_);
    int64_t bytes = 0;
    for (const pattern::Interval& part : intervals_) bytes += part.length();
    // Parts that wait for each other leave the targets to other clients meanwhile.
    double done = now, alone = 0;
    for (const pattern::Interval& part : intervals_) {
      const double share = static_cast<double>(part.length()) / static_cast<double>(bytes);
      const auto served = targets_.serve(reads_ || old ? Operation::read : Operation::write, part,
                                         transfer_.of_part(share), now);
      done = std::max(done, served.done);
      if (transfer_.holes) {
        alone += served.alone_seconds + (old ? transfer_.lock_seconds : 0);
      } else {
        alone = std::max(alone, served.alone_seconds);
      }
    }
    done = std::max(done, now + alone);
    done = std::max(done, pass_link_to_storage(*client, transfer_.share * static_cast<double>(bytes), now));
    if (old) {
      next_.push({done, group, client, false});
      return;
    }
    Together::Round& round = group->in_slot(client->round);
    round.done = std::max(round.done, done);
    --round.left;
    client->done = done;
    client->asking = false;
    ++client->round;
    ask(*group, *client, opened(*group));
    if (round.left == 0) go_on(*group);
  }

  // A node's link to storage moves the windows of its aggregators one after another.
  double pass_link_to_storage(const Client& client, double bytes, double now) {
    double& free = storage_link_free_[static_cast<size_t>(client.realm->node)];
    return free = std::max(free, now) + bytes * storage_byte_seconds_;
  }
  double& link_free(const Client& client) { return link_free_[static_cast<size_t>(client.realm->node)]; }
  // Links move what the windows of the next round exchange with other nodes, from a time on. What is of the
  // aggregators of a node shares its link, and is through for all of them at the same time. In later rounds
  // than the first it is partly so while others still wait for storage, if windows are pipelined.
  void pass_links(Together& group, double begin) {
    const double busy = group.exchanged == 0 || slots_ == 1 ? busy_links : 1;
    for_each_client(group, group.exchanged, [&](const Client& client) {
      double& free = link_free(client);
      free = std::max(free, begin) + client.link_seconds * client.part_of(group.exchanged) / busy;
    });
  }

  bool reads_;
  int64_t slots_;
  Transfer transfer_;
  double copy_seconds_;  // of all ranks together
  Targets targets_;
  std::vector<double> link_free_;  // by node
  double storage_byte_seconds_;    // of a node's link to storage
  std::vector<double> storage_link_free_;
  std::vector<Together> groups_;
  int64_t clients_ = 0;
  std::priority_queue<Asking, std::vector<Asking>, std::greater<>> next_;
  std::vector<pattern::Interval> intervals_;
};

}  // namespace

std::optional<double> seconds_on_targets(const Facts& facts, const Layout& layout, const Prices& prices) {
  const StorageFacts& storage = facts.storage;
  if (!prices.of_target || storage.stripe_targets < 2 || storage.stripe_bytes <= 0 || layout.realms.empty())
    return {};
  int64_t bytes = 0;
  double windows = 0;
  for (const Realm& realm : layout.realms) {
    bytes += realm.bytes;
    windows += static_cast<double>(rounds_of(realm));
  }
  if (facts.operation == Operation::read && facts.digest.bytes < bytes) return {};
  const auto holey = holey_windows(facts, layout, sums_of(layout.realms).windows, prices);
  const AtHome at_home(facts, layout);
  Play play(facts, layout, holey ? transfer_of(*holey, windows, prices) : Transfer{}, prices);
  for (const Realm& realm : layout.realms) {
    const int64_t windows = rounds_of(realm);
    if (windows <= 0) continue;
    const double of_others = at_home.bytes_of_others(realm);
    play.add({&realm, windows, of_others / prices.network_bytes_per_second,
              sorting_seconds(facts, of_others, prices)});
  }
  return play.seconds();
}

}  // namespace concilio::plan
