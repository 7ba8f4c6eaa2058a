#include "plan/choose/striped.h"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
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

// So many requests a target works on at the same time.
constexpr double requests_of_target = 4;

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

// The targets, each of which moves the bytes of one request after another.
class Targets {
 public:
  Targets(const StorageFacts& storage, const Prices& prices)
      : stripe_bytes_(storage.stripe_bytes),
        read_(prices.read.window, static_cast<double>(stripe_bytes_)),
        write_(prices.write.window, static_cast<double>(stripe_bytes_)),
        free_(static_cast<size_t>(storage.stripe_targets)) {}

  // When a part of a window is moved, which is asked for at a time, and not before any other was asked for.
  double serve(Operation operation, pattern::Interval bytes, const Transfer& transfer, double now) {
    const RequestSeconds& stripe = operation == Operation::read ? read_ : write_;
    const double byte_seconds = transfer.share * stripe.of_bytes / static_cast<double>(stripe_bytes_);
    const int64_t targets = std::ssize(free_);
    const int64_t first = floor_divide(bytes.begin, stripe_bytes_),
                  last = floor_divide(bytes.end - 1, stripe_bytes_);
    const int64_t target = first - floor_divide(first, targets) * targets;  // of the first stripe
    double done = now;
    for (int64_t i = 0; i < std::min(targets, last - first + 1); ++i) {
      int64_t its_bytes = ((last - first - i) / targets + 1) * stripe_bytes_;
      if (i == 0) its_bytes -= bytes.begin - first * stripe_bytes_;
      if ((last - first) % targets == i) its_bytes -= stripe_bytes_ - (bytes.end - last * stripe_bytes_);
      double& free = free_[static_cast<size_t>((target + i) % targets)];
      const double moving = static_cast<double>(its_bytes) * byte_seconds;
      const double requests = std::max(
          1.0, transfer.requests * static_cast<double>(its_bytes) / static_cast<double>(bytes.length()));
      free = std::max(free, now) + requests * stripe.latency / requests_of_target + moving;
      // Others' requests come between those that wait for each other.
      done = std::max({done, free + stripe.latency * (1 - 1 / requests_of_target),
                       now + transfer.in_turn * stripe.latency + moving});
    }
    return done;
  }

 private:
  int64_t stripe_bytes_;
  RequestSeconds read_, write_;  // of a stripe
  std::vector<double> free_;     // by target: when all that it has been asked for is moved
};

// How much of the time links are busy while all nodes exchange: each has two messages under way at a time,
// and several send to the same one. (As seen in simulations.)
constexpr double busy_links = 0.5;

// An aggregator, and what each of its windows costs besides storage.
struct Client {
  const Realm* realm;
  int64_t windows;                       // of the realm
  double link_seconds, sorting_seconds;  // of what comes from other nodes, or goes there
  int64_t round = 0;                     // its next one
  bool asking = false;
  double done = 0;                                // when storage had done the one before
  std::array<double, most_slots> may_ask_from{};  // in a round, by its slot
};

// The aggregators of a group. Each has data in the windows of others, or its node's ranks have, so all go
// together through the exchange of one round after another, while storage is at work on their windows. These
// have two slots: what is written of a round is exchanged when all have done the one before the last; and
// what is read of a round may be read when the one before the last is exchanged.
struct Together {
  std::vector<Client> clients;
  int64_t exchanged = 0, rounds = 0;
  double exchange_done = 0;  // of the last round that was exchanged
  // Of a round that clients are in, by its slot.
  struct Round {
    size_t left = 0;  // clients that have not done it
    double done = 0;  // when the last of the others had
  };
  std::array<Round, most_slots> open{};
  Round& in_slot(int64_t round) { return open[static_cast<size_t>(round % most_slots)]; }
};

// Plays the windows of all groups, whose aggregators meet at the targets.
class Play {
 public:
  Play(const Facts& facts, const Layout& layout, const Transfer& transfer, const Prices& prices)
      : reads_(facts.operation == Operation::read),
        transfer_(transfer),
        copy_seconds_(
            copy_seconds(facts, static_cast<double>(facts.digest.bytes), largest_piece_count(facts), prices) /
            static_cast<double>(std::max<int64_t>(1, layout.rounds))),
        targets_(facts.storage, prices),
        link_free_(facts.nodes.size()),
        groups_(layout.groups.size()) {}

  void add(const Client& client) {
    Together& group = groups_[static_cast<size_t>(client.realm->group)];
    group.clients.push_back(client);
    group.rounds = std::max(group.rounds, client.windows);
    ++clients_;
  }

  // The time until the last client has ended.
  double seconds() {
    for (Together& group : groups_) {
      if (reads_) {
        for (int64_t round = 0; round < most_slots; ++round)
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
  int64_t opened(const Together& group) const { return group.exchanged + (reads_ ? most_slots : 0); }

  // Exchanges what can be exchanged by now.
  void go_on(Together& group) {
    while (group.exchanged < group.rounds && group.in_slot(group.exchanged).left == 0) {
      double begin = std::max(group.exchange_done, group.in_slot(group.exchanged).done);
      if (!reads_) begin += copy_seconds_;
      pass_links(group, begin);
      // The client sorts the data of one node while those of another are under way.
      const auto sorted = [&](const Client& client) {
        return std::max(link_free(client), begin + client.sorting_seconds);
      };
      group.exchange_done = begin;
      for_each_client(group, group.exchanged, [&](const Client& client) {
        group.exchange_done = std::max(group.exchange_done, sorted(client));
      });
      // Ranks take the windows one after another, and so wait for all of them.
      if (reads_) group.exchange_done += copy_seconds_;
      const int64_t round = opened(group);
      ++group.exchanged;
      open_round(group, round,
                 [&](const Client& client) { return reads_ ? group.exchange_done : sorted(client); });
    }
  }

  void serve(const Asking& asking) {
    const auto [now, group, client, old] = asking;
    window(*client->realm, client->round, intervals_);
    int64_t bytes = 0;
    for (const pattern::Interval& part : intervals_) bytes += part.length();
    double begin = now, done = now;
    for (const pattern::Interval& part : intervals_) {
      const double share = static_cast<double>(part.length()) / static_cast<double>(bytes);
      if (old) begin += transfer_.lock_seconds;
      done = std::max(done, targets_.serve(reads_ || old ? Operation::read : Operation::write, part,
                                           transfer_.of_part(share), begin));
      if (transfer_.holes) begin = done;
    }
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

  double& link_free(const Client& client) { return link_free_[static_cast<size_t>(client.realm->node)]; }
  // Links move what the windows of the next round exchange with other nodes, from a time on. What is of the
  // aggregators of a node shares its link, and is through for all of them at the same time. In later rounds
  // than the first it is partly so while others still wait for storage.
  void pass_links(Together& group, double begin) {
    const double busy = group.exchanged == 0 ? busy_links : 1;
    for_each_client(group, group.exchanged, [&](const Client& client) {
      double& free = link_free(client);
      free = std::max(free, begin) + client.link_seconds / busy;
    });
  }

  bool reads_;
  Transfer transfer_;
  double copy_seconds_;  // of all ranks together, for a round
  Targets targets_;
  std::vector<double> link_free_;  // by node
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
    const double of_others = at_home.bytes_of_others(realm) / static_cast<double>(windows);
    play.add({&realm, windows, of_others / prices.network_bytes_per_second,
              sorting_seconds(facts, of_others, prices)});
  }
  return play.seconds();
}

}  // namespace concilio::plan
