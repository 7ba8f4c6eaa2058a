#include "plan/choose/striped.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "plan/choose/cost.h"
#include "plan/choose/shares.h"
#include "plan/choose/targets.h"
#include "plan/layout/windows.h"

namespace concilio::plan {
namespace {

// So many windows are played, but some of each realm; the others take as long on average.
constexpr int64_t most_windows_played = 1024, most_windows_of_realm = 8;
// How much of the time links are busy while all nodes exchange: each has two messages under way at a time,
// and several send to the same one. (As seen in simulations.)
constexpr double busy_links = 0.5;

// A node of a group, or several that are told together.
struct Member {
  double nodes = 1;
  bool has_link = true;  // of its own
  double ahead =
      std::numeric_limits<double>::infinity();  // bytes of its parcels that may be under way at a time
  double sent = 0, received = 0;                // when its link has done all that it was asked for
};

struct Client {
  const Realm* realm;
  size_t member;  // whose rank aggregates it
  int64_t windows;
  double sorted = 0;  // when it has sorted all that is asked of it so far
};

// A client's window, and the parts that members have in it: first that of the client's own.
struct Window {
  size_t client;
  size_t first_part, end_part = 0;
  size_t awaited = 0;             // members that must have sent their parts, or begun the round
  double begun = 0, arrived = 0;  // when the client is free for it, and when all is there that others send
  double bytes_of_others = 0;
  size_t unsent = 0;  // reads: parts of others that have not passed
  double sent = 0;    // when those have that have
};
struct Part {
  size_t window, member;
  double bytes;
  double waiting = 0;  // writes: bytes that are not sent yet
};

// A member's round.
struct Turn {
  size_t first_part = 0, end_part = 0;  // of Round::by_member
  size_t awaited = 1;                   // what must be done before its next one; and that it has begun
  bool is_begun = false;
  size_t not_begun = 0;  // writes: windows that it sends to whose clients are not free for them
  size_t unread = 0;     // reads: windows with parts of it that are not there
  double bytes = 0, done = 0;
};

struct Round {
  std::vector<Window> windows;
  std::vector<Part> parts;        // by window
  std::vector<size_t> by_member;  // the indices of the same
  std::vector<Turn> turns;        // by member
  size_t going_on = 0;            // turns that are not done
};

// A group. Its members go through the rounds each for itself. In a write a member begins its next round when
// what it sent has been put into windows, and its own windows are in storage. So members without windows send
// while storage is at work, and the others do not. In a read it begins the next one when it has all that it
// asks for, and the others have what its aggregators sent.
struct Together {
  std::vector<Member> members;
  std::vector<Client> clients;
  int64_t rounds = 0, played = 0;
  std::vector<Round> under_way;  // rounds that members are in
  int64_t first_under_way = 0;
  double done = 0;
};

// Plays the windows of all groups, whose clients meet at the targets.
class Play {
 public:
  Play(const Facts& facts, const Layout& layout, const Prices& prices)
      : layout_(layout),
        reads_(facts.operation == Operation::read),
        copying_(
            copy_seconds(facts, static_cast<double>(facts.digest.bytes), largest_piece_count(facts), prices) /
            static_cast<double>(facts.digest.bytes) * static_cast<double>(facts.nodes.size())),
        sorting_(sorting_seconds(facts, 1, prices)),
        link_(1 / prices.network_bytes_per_second),
        targets_(facts.storage, RequestSeconds(prices.of(facts.operation).window,
                                               static_cast<double>(facts.storage.stripe_bytes))),
        shares_(facts, layout),
        groups_(layout.groups.size()),
        member_of_node_(facts.nodes.size()) {
    for (size_t i = 0; i < groups_.size(); ++i) gather(layout.groups[i], groups_[i]);
  }

  // The time until the last client has ended.
  double seconds() {
    for (Together& group : groups_) {
      for (size_t member = 0; member < group.members.size(); ++member)
        events_.push({0, Event::begin, &group, member, 0});
    }
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      if (event.what == Event::begin)
        begin(event);
      else if (event.what == Event::ask)
        serve(event);
      else
        exchange(event);
    }
    double last = 0;
    for (const Together& group : groups_) {
      const auto played = static_cast<double>(std::max<int64_t>(1, group.played));
      last = std::max(last, group.done * static_cast<double>(group.rounds) / played);
    }
    return last;
  }

 private:
  // A member begins a round, or storage is asked for a window.
  struct Event {
    double when;
    enum What { begin, ask, there } what;
    Together* group;
    size_t index;  // of the member, or of the window in its round
    int64_t round;
    // Of equal groups one is the first at all targets, so that they come to use these by turns.
    bool operator>(const Event& other) const {
      return when > other.when || (when == other.when && group > other.group);
    }
  };

  void gather(const Group& its, Together& group) {
    std::map<int, size_t> members;
    const auto add = [&](int node) {
      const auto [found, added] = members.emplace(node, group.members.size());
      member_of_node_[static_cast<size_t>(node)] = found->second;
      if (!added) return;
      Member& member = group.members.emplace_back();
      if (!layout_.parcel_bytes.empty())
        member.ahead = 2 * static_cast<double>(layout_.parcel_bytes[static_cast<size_t>(node)]);
    };
    if (!shares_.others_together()) {
      for (const int node : its.nodes) add(node);
    } else if (its.nodes.size() > 1) {
      group.members.push_back({static_cast<double>(its.nodes.size() - 1), false});
    }
    for (int i = its.first_realm; i < its.end_realm; ++i) {
      const Realm& realm = layout_.realms[static_cast<size_t>(i)];
      const int64_t windows = rounds_of(realm);
      if (windows <= 0) continue;
      add(realm.node);
      group.clients.push_back({&realm, member_of_node_[static_cast<size_t>(realm.node)], windows});
      group.rounds = std::max(group.rounds, windows);
    }
    group.played = std::min(
        group.rounds, std::max(most_windows_of_realm, most_windows_played / std::ssize(layout_.realms)));
  }

  Round& round_of(Together& group, int64_t number) {
    const auto index = static_cast<size_t>(number - group.first_under_way);
    while (group.under_way.size() <= index) {
      const int64_t next = group.first_under_way + std::ssize(group.under_way);
      lay_out(group, next, group.under_way.emplace_back());
    }
    return group.under_way[index];
  }

  void lay_out(const Together& group, int64_t number, Round& round) {
    round.turns.resize(group.members.size());
    round.going_on = group.members.size();
    for (size_t i = 0; i < group.clients.size(); ++i) {
      const Client& client = group.clients[i];
      if (client.windows <= number) continue;
      window(*client.realm, number, intervals_);
      shares_.of_window(*client.realm, intervals_, shares_of_window_);
      Window its{i, round.parts.size()};
      for (const Shares::Share& share : shares_of_window_) {
        const bool told_together = share.node == Shares::all_others;
        const size_t member = told_together ? 0 : member_of_node_[static_cast<size_t>(share.node)];
        round.parts.push_back({round.windows.size(), member, share.bytes});
        if (member != client.member) its.bytes_of_others += share.bytes;
        if (awaits(group, client, member)) ++its.awaited;
        Turn& turn = round.turns[member];
        turn.bytes += share.bytes;
        ++turn.end_part;
        ++turn.awaited;
        ++turn.unread;
        if (member != client.member) ++turn.not_begun;
      }
      its.end_part = round.parts.size();
      its.unsent = its.end_part - its.first_part - 1;
      round.windows.push_back(its);
    }
    size_t before = 0;
    for (Turn& turn : round.turns) {
      turn.first_part = before;
      before += std::exchange(turn.end_part, before);
    }
    round.by_member.resize(before);
    for (size_t i = 0; i < round.parts.size(); ++i)
      round.by_member[round.turns[round.parts[i].member].end_part++] = i;
  }

  // Whether a client's window is not moved before a member that has a part in it comes to the round.
  bool awaits(const Together& group, const Client& client, size_t member) const {
    return !reads_ || member == client.member || !group.members[member].has_link;
  }

  double copying(const Together& group, size_t member, const Turn& turn) const {
    return turn.bytes / group.members[member].nodes * copying_;
  }

  void begin(const Event& event) {
    Together& group = *event.group;
    if (event.round == group.played) {
      group.done = std::max(group.done, event.when);
      return;
    }
    Round& round = round_of(group, event.round);
    Turn& turn = round.turns[event.index];
    turn.is_begun = true;
    double now = event.when;
    const auto for_each_part = [&](auto&& f) {
      for (size_t i = turn.first_part; i < turn.end_part; ++i) {
        Part& part = round.parts[round.by_member[i]];
        f(part, round.windows[part.window], group.clients[round.windows[part.window].client]);
      }
    };
    if (!reads_) {
      now += copying(group, event.index, turn);
      const Member& member = group.members[event.index];
      for_each_part([&](Part& part, Window&, const Client& client) {
        if (client.member != event.index) part.waiting = part.bytes;
      });
      send(group, event.round, event.index, now);
      // The last parcels are packed while the link is busy with those before.
      now = std::max(now, member.sent - member.ahead * link_);
    }
    for_each_part([&](Part&, Window& window, const Client& client) {
      if (client.member != event.index) return;
      window.begun = now;
      if (!reads_) {
        for (size_t i = window.first_part + 1; i < window.end_part; ++i) {
          const size_t member = round.parts[i].member;
          Turn& sender = round.turns[member];
          if (--sender.not_begun == 0 && sender.is_begun) send(group, event.round, member, now);
        }
      }
      if (--window.awaited == 0) ask(group, event.round, static_cast<size_t>(&window - round.windows.data()));
    });
    if (reads_ && !group.members[event.index].has_link) {
      for_each_part([&](Part& part, Window& window, const Client&) {
        if (--window.awaited == 0) ask(group, event.round, part.window);
      });
    }
    end_one(group, event.round, event.index, now);
  }

  // In a write, a member sends what is left of its parts, or so much as may be under way if not all clients
  // that it sends to are free for their windows: it sends to them in turn.
  void send(Together& group, int64_t number, size_t member, double now) {
    Round& round = round_of(group, number);
    const Turn& turn = round.turns[member];
    double ahead =
        turn.not_begun == 0 ? std::numeric_limits<double>::infinity() : group.members[member].ahead;
    for (size_t i = turn.first_part; i < turn.end_part; ++i) {
      Part& part = round.parts[round.by_member[i]];
      Window& window = round.windows[part.window];
      const size_t client = group.clients[window.client].member;
      if (client == member || part.waiting <= 0) continue;
      const double bytes = std::min(part.waiting, ahead);
      ahead -= bytes;
      part.waiting -= bytes;
      window.arrived = std::max(window.arrived, pass(group, member, client, bytes, now, number));
      if (part.waiting == 0 && --window.awaited == 0) ask(group, number, part.window);
    }
  }

  // A part of a window passes two links. Returns when it has.
  double pass(Together& group, size_t from, size_t to, double bytes, double now, int64_t round) {
    Member &sender = group.members[from], &receiver = group.members[to];
    const double seconds = bytes * link_ / (round == 0 ? busy_links : 1);
    double done = now;
    if (sender.has_link) done = std::max(done, sender.sent = std::max(sender.sent, now) + seconds);
    if (receiver.has_link)
      done = std::max(done, receiver.received = std::max(receiver.received, now) + seconds);
    return done;
  }

  // All is there that a window needs. The client sorts what came first while the rest is under way.
  void ask(Together& group, int64_t number, size_t index) {
    Round& round = round_of(group, number);
    const Window& window = round.windows[index];
    double when = window.begun;
    const size_t others = window.end_part - window.first_part - 1;
    if (!reads_ && others > 0) {
      const double sorting = window.bytes_of_others * sorting_;
      when = std::max(when + sorting, window.arrived);
      for (size_t i = window.first_part + 1; i < window.end_part; ++i) {
        const size_t member = round.parts[i].member;
        if (group.members[member].has_link) end_one(group, number, member, when);
      }
    }
    events_.push({when, Event::ask, &group, index, number});
  }

  // Storage moves a window.
  void serve(const Event& event) {
    Together& group = *event.group;
    Round& round = round_of(group, event.round);
    const Window& its = round.windows[event.index];
    const Client& client = group.clients[its.client];
    double done = event.when;
    window(*client.realm, event.round, intervals_);
    for (const pattern::Interval& part : intervals_) done = std::max(done, targets_.serve(part, event.when));
    if (reads_) {
      events_.push({done, Event::there, &group, event.index, event.round});
      return;
    }
    for (size_t i = its.first_part + 1; i < its.end_part; ++i) {
      const size_t member = round.parts[i].member;
      if (!group.members[member].has_link) end_one(group, event.round, member, done);
    }
    end_one(group, event.round, client.member, done);
  }

  // A window has been read. A member takes its parts one after another, so when the last is there.
  void exchange(const Event& event) {
    Together& group = *event.group;
    Round& round = round_of(group, event.round);
    Window& its = round.windows[event.index];
    std::vector<size_t> complete;
    for (size_t i = its.first_part; i < its.end_part; ++i) {
      const size_t member = round.parts[i].member;
      if (--round.turns[member].unread == 0) complete.push_back(member);
    }
    if (its.unsent == 0) ended_.push_back({group.clients[its.client].member, event.when});
    for (const size_t member : complete) {
      const Turn& turn = round.turns[member];
      for (size_t i = turn.first_part; i < turn.end_part; ++i) {
        const Part& part = round.parts[round.by_member[i]];
        Window& window = round.windows[part.window];
        Client& client = group.clients[window.client];
        if (client.member == member && &part == &round.parts[window.first_part]) continue;
        client.sorted = std::max(client.sorted, event.when) + part.bytes * sorting_;
        const double there =
            std::max(client.sorted, pass(group, client.member, member, part.bytes, event.when, event.round));
        window.sent = std::max(window.sent, there);
        ended_.push_back({member, there});
        if (--window.unsent == 0) ended_.push_back({client.member, window.sent});
      }
    }
    for (const auto& [member, when] : std::exchange(ended_, {})) end_one(group, event.round, member, when);
  }

  // One of the things is done that a member waits for before it begins its next round.
  void end_one(Together& group, int64_t number, size_t member, double when) {
    Round& round = round_of(group, number);
    Turn& turn = round.turns[member];
    turn.done = std::max(turn.done, when);
    if (--turn.awaited > 0) return;
    const double next = turn.done + (reads_ ? copying(group, member, turn) : 0);
    events_.push({next, Event::begin, &group, member, number + 1});
    --round.going_on;
    while (!group.under_way.empty() && group.under_way.front().going_on == 0) {
      group.under_way.erase(group.under_way.begin());
      ++group.first_under_way;
    }
  }

  const Layout& layout_;
  bool reads_;
  double copying_, sorting_, link_;  // seconds a byte: of a node's ranks, of one core, of a link
  Targets targets_;
  Shares shares_;
  std::vector<Together> groups_;
  std::vector<size_t> member_of_node_;  // index into the members of its group
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<pattern::Interval> intervals_;
  std::vector<Shares::Share> shares_of_window_;
  std::vector<std::pair<size_t, double>> ended_;
};

}  // namespace

std::optional<double> seconds_on_targets(const Facts& facts, const Layout& layout, const Prices& prices) {
  const StorageFacts& storage = facts.storage;
  if (!prices.of_target || storage.stripe_targets < 2 || storage.stripe_bytes <= 0 || layout.realms.empty())
    return {};
  double bytes = 0;
  for (const Realm& realm : layout.realms) bytes += static_cast<double>(realm.bytes);
  if (static_cast<double>(facts.digest.bytes) < bytes) return {};
  return Play(facts, layout, prices).seconds();
}

}  // namespace concilio::plan
