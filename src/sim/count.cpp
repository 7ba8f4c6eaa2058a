#include "sim/count.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <tuple>
#include <vector>

#include "base/checked.h"
#include "plan/choose/sparse_reads.h"
#include "plan/facts/prices.h"
#include "plan/facts/spans.h"
#include "plan/layout/clusters.h"
#include "plan/layout/exchange.h"
#include "plan/layout/footprint.h"
#include "plan/layout/windows.h"

namespace concilio::sim {
namespace {

Error cannot_count(std::string message) {
  return {ErrorKind::unsupported, 0, std::move(message)};
}

// The data of all ranks in a stretch of the file.
struct Covered {
  int64_t bytes = 0;
  int64_t first_slot = 0, last_slot = 0;  // that have data there
  pattern::Interval range;                // from the first byte of data to the last
  int64_t runs = 0;                       // contiguous stretches of data
  int64_t last_begin = 0;                 // of the last one
};

// The nodes' shares of the slots, which ranks have in turn: slot q is that of rank q modulo their number. The
// neighbouring slots of one node are a block.
class Blocks {
 public:
  Blocks(const Alike& alike, const plan::Facts& facts) : alike_(alike) {
    for (const plan::NodeFacts& node : facts.nodes) {
      first_rank_.push_back(first_rank_.back() + node.ranks);
      most_bytes_ = std::max(most_bytes_, node.ranks * alike.turns().bytes);
    }
  }

  int64_t nodes() const { return std::ssize(first_rank_) - 1; }
  int64_t ranks() const { return first_rank_.back(); }
  int64_t most_bytes() const { return most_bytes_; }  // of a block
  // The block that has a slot. Block b is one of node b modulo the number of nodes.
  int64_t of_slot(int64_t slot) const { return slot / ranks() * nodes() + node_of(slot % ranks()); }
  // The bytes that a node's ranks have in a stretch of the file.
  int64_t bytes_in(int64_t node, pattern::Interval file) const {
    const int64_t first = first_rank_[static_cast<size_t>(node)];
    const int64_t its_ranks = first_rank_[static_cast<size_t>(node) + 1] - first;
    return alike_.data_before(first, its_ranks, file.end) - alike_.data_before(first, its_ranks, file.begin);
  }

 private:
  // Ranks are mostly divided evenly among the nodes, so that the first guess is right.
  int64_t node_of(int64_t rank) const {
    auto node = static_cast<int64_t>(static_cast<__int128>(rank) * nodes() / ranks());
    while (first_rank_[static_cast<size_t>(node)] > rank) --node;
    while (first_rank_[static_cast<size_t>(node) + 1] <= rank) ++node;
    return node;
  }
  const Alike& alike_;
  std::vector<int64_t> first_rank_{0};
  int64_t most_bytes_ = 0;
};

plan::FlushRules with_writers(plan::FlushRules rules, const plan::Plan& plan) {
  rules.writers = std::ssize(plan.realms);
  return rules;
}

// Counts a two-phase call, window by window.
class Counting {
 public:
  Counting(const Alike& alike, const plan::Facts& facts, const plan::Plan& plan,
           const plan::FlushRules& rules)
      : turns_(alike.turns()),
        plan_(plan),
        rules_(with_writers(rules, plan)),
        prices_(prices_of(facts)),
        gap_bytes_(gap_worth_reading(prices_)),
        alike_(alike),
        blocks_(alike, facts) {}

  Counts run() {
    counts_.rounds = plan_.rounds;
    for (const plan::Group& group : plan_.groups) {
      const bool travels = group.nodes.size() > 1 && plan_.combined_nodes < 2;
      least_parcel_ = INT64_MAX;
      for (const int node : group.nodes) {
        if (travels) least_parcel_ = std::min(least_parcel_, plan_.parcel_bytes[static_cast<size_t>(node)]);
      }
      for (int i = group.first_realm; i < group.end_realm; ++i)
        count_realm(group, plan_.realms[static_cast<size_t>(i)], travels);
      if (group.nodes.size() < 2 || plan_.combined_nodes < 2) continue;
      for (int64_t round = 0; round < group.rounds; ++round) {
        counts_.relays_fit = counts_.relays_fit && count_relayed(group, round);
      }
    }
    return counts_;
  }

 private:
  bool reads() const { return plan_.operation == Operation::read; }
  bool has_holes() const { return turns_.pitch_bytes > turns_.bytes; }

  void count_realm(const plan::Group& group, const plan::Realm& realm, bool travels) {
    const bool equal = !has_holes() && realm.owned.is_contiguous() && realm.positions.size() == 1;
    if (equal) transfer_whole(rounds_of(realm), rounds_of(realm), realm.bytes);
    for (int64_t round = 0; round < rounds_of(realm) && (travels || !equal); ++round) {
      window(realm, round, parts_);
      if (travels) count_messages(realm.node);
      if (!equal) reads() ? count_fetch(knows_wanted(plan_, group)) : count_flush();
    }
  }

  // Windows that are moved as they are, and not in pieces.
  void transfer_whole(int64_t windows, int64_t requests, int64_t bytes) {
    if (reads()) {
      counts_.storage_reads += requests;
      counts_.storage_bytes_read += bytes;
    } else {
      counts_.windows_whole += windows;
      counts_.storage_writes += requests;
      counts_.storage_bytes_written += bytes;
    }
  }

  Covered covered_in(pattern::Interval file) const {
    const int64_t pitch = turns_.pitch_bytes, ranks = turns_.ranks;
    Covered covered;
    covered.bytes = alike_.data_before(0, ranks, file.end) - alike_.data_before(0, ranks, file.begin);
    if (covered.bytes == 0) return covered;
    covered.first_slot = file.begin / pitch + (file.begin % pitch >= turns_.bytes ? 1 : 0);
    covered.last_slot = std::min((file.end - 1) / pitch, ranks * turns_.pieces - 1);
    const int64_t last_begin = covered.last_slot * pitch;
    covered.range = {std::max(covered.first_slot * pitch, file.begin),
                     std::min(last_begin + turns_.bytes, file.end)};
    covered.runs = has_holes() ? covered.last_slot - covered.first_slot + 1 : 1;
    covered.last_begin = covered.runs > 1 ? last_begin : covered.range.begin;
    return covered;
  }

  // As exec/windows/flush.cpp writes a window.
  void count_flush() {
    int64_t whole = 0, whole_bytes = 0;
    for (const pattern::Interval& part : parts_) {
      const Covered covered = covered_in(part);
      if (covered.bytes == 0) continue;
      if (covered.runs == 1) {
        ++whole;
        whole_bytes += covered.bytes;
      } else {
        count_holey(covered);
      }
    }
    if (whole > 0) transfer_whole(1, whole, whole_bytes);
  }

  void count_holey(const Covered& covered) {
    const plan::WindowShape shape{covered.range.length(), covered.bytes, covered.runs,
                                  covered.last_begin - covered.range.begin};
    const plan::Flush flush = choose_flush(shape, rules_, prices_);
    if (flush == plan::Flush::read_modify_write) {
      ++counts_.windows_rmw;
      ++counts_.storage_reads;
      ++counts_.storage_writes;
      counts_.storage_bytes_read += covered.range.length();
      counts_.storage_bytes_written += covered.range.length();
      return;
    }
    ++(flush == plan::Flush::batch ? counts_.windows_batch : counts_.windows_list);
    counts_.storage_writes += covered.runs;
    counts_.storage_bytes_written += covered.bytes;
  }

  // As exec/two_phase/fetch.cpp reads a window.
  void count_fetch(bool knows_wanted) {
    int64_t wanted = 0;
    for (const pattern::Interval& part : parts_) wanted += covered_in(part).bytes;
    if (!knows_wanted || !plan::is_sparse(wanted, plan::total_bytes(parts_)))
      return transfer_whole(1, std::ssize(parts_), plan::total_bytes(parts_));
    const bool joined = turns_.pitch_bytes - turns_.bytes <= gap_bytes_;
    for (const pattern::Interval& part : parts_) {
      const Covered covered = covered_in(part);
      if (covered.bytes == 0) continue;
      counts_.storage_reads += joined ? 1 : covered.runs;
      counts_.storage_bytes_read += joined ? covered.range.length() : covered.bytes;
    }
  }

  // As exec/two_phase/parcels.cpp sends what other nodes than the aggregator's have in a window, or want of
  // it.
  void count_messages(int64_t own) {
    if (count_single_parcels(own)) return;
    find_others();
    for (const int64_t node : others_) {
      if (node != own) send_parcels(node, bytes_of(node));
    }
  }

  // Finds the nodes with data in the window.
  void find_others() {
    others_.clear();
    for (const pattern::Interval& part : parts_) {
      const Covered covered = covered_in(part);
      if (covered.bytes == 0) continue;
      const int64_t first = blocks_.of_slot(covered.first_slot);
      const int64_t end = std::min(blocks_.of_slot(covered.last_slot) + 1, first + blocks_.nodes());
      for (int64_t block = first; block < end; ++block) others_.push_back(block % blocks_.nodes());
    }
    std::sort(others_.begin(), others_.end());
    others_.erase(std::unique(others_.begin(), others_.end()), others_.end());
  }

  // What a node has in the window.
  int64_t bytes_of(int64_t node) const {
    int64_t bytes = 0;
    for (const pattern::Interval& part : parts_) bytes += blocks_.bytes_in(node, part);
    return bytes;
  }

  void send_parcels(int64_t node, int64_t bytes) { send(ceil_divide(bytes, room_of(node)), bytes); }
  int64_t room_of(int64_t node) const { return plan_.parcel_bytes[static_cast<size_t>(node)]; }

  // As exec/two_phase/relay.cpp brings together what the nodes of a cluster have in a round's windows of
  // other clusters. False if that does not fit a relay's buffers.
  bool count_relayed(const plan::Group& group, int64_t round) {
    shares_.clear();
    for (int i = group.first_realm; i < group.end_realm; ++i) {
      const auto realm = static_cast<size_t>(i);
      if (round >= rounds_of(plan_.realms[realm])) continue;
      window(plan_.realms[realm], round, parts_);
      find_others();
      for (const int64_t node : others_) {
        if (node == plan_.realms[realm].node) continue;
        const int relay = relay_of(plan_, group, realm, static_cast<int>(node));
        if (relay == plan::direct) {
          send_parcels(node, bytes_of(node));
        } else {
          shares_.push_back({relay, static_cast<int>(node), i, bytes_of(node)});
        }
      }
    }
    return count_to_relays() && count_from_relays();
  }

  // One message of each node to each relay, and what the relay's own node has. False if a message is too long
  // for its sender, or they are together for the relay.
  bool count_to_relays() {
    std::sort(shares_.begin(), shares_.end(), [](const Share& a, const Share& b) {
      return std::tie(a.relay, a.node) < std::tie(b.relay, b.node);
    });
    return for_each_message(
        [](const Share& a, const Share& b) { return a.relay == b.relay && a.node == b.node; },
        [&](std::span<const Share> of_message, int64_t bytes) {
          const Share& first = of_message.front();
          const int64_t heads = std::ssize(of_message) * plan::parcel_head_bytes(plan_.operation);
          if (first.node != first.relay) {
            ++counts_.messages_sent;
            counts_.message_bytes_sent += heads + bytes;
          }
          return heads + bytes <= room_of(first.node) ? heads + bytes : -1;
        });
  }

  // One message of each relay to each aggregator.
  bool count_from_relays() {
    std::sort(shares_.begin(), shares_.end(), [](const Share& a, const Share& b) {
      return std::tie(a.relay, a.realm) < std::tie(b.relay, b.realm);
    });
    return for_each_message(
        [](const Share& a, const Share& b) { return a.relay == b.relay && a.realm == b.realm; },
        [&](std::span<const Share>, int64_t bytes) {
          send(1, bytes);
          return plan::parcel_head_bytes(plan_.operation) + bytes;
        });
  }

  // Calls f(shares, their bytes) for each run of shares that are in one message, which returns the length of
  // the message, or -1. False if one did, or if all messages of a relay are longer than its buffer.
  template <typename InOne, typename F>
  bool for_each_message(InOne&& in_one, F&& f) {
    int64_t used = 0;
    for (size_t first = 0, end = 0; first < shares_.size(); first = end) {
      int64_t bytes = 0;
      for (end = first; end < shares_.size() && in_one(shares_[first], shares_[end]); ++end)
        bytes += shares_[end].bytes;
      const int64_t length = f(std::span<const Share>(shares_).subspan(first, end - first), bytes);
      if (first == 0 || shares_[first - 1].relay != shares_[first].relay) used = 0;
      used += length;
      if (length < 0 || used > room_of(shares_[first].relay)) return false;
    }
    return true;
  }

  // Where no node has more than one block in the window, nor than fits one parcel, nodes need not be gone
  // through one by one. False: this is not such a window.
  bool count_single_parcels(int64_t own) {
    if (parts_.size() != 1) return false;
    const Covered covered = covered_in(parts_.front());
    if (covered.bytes == 0) return true;
    const int64_t first = blocks_.of_slot(covered.first_slot), last = blocks_.of_slot(covered.last_slot);
    const int64_t nodes = blocks_.nodes();
    if (last - first >= nodes || std::min(covered.bytes, blocks_.most_bytes()) > least_parcel_) return false;
    const int64_t to_own = own - first % nodes;
    const bool has_own = (to_own < 0 ? to_own + nodes : to_own) <= last - first;
    send(last - first + (has_own ? 0 : 1), covered.bytes - blocks_.bytes_in(own, parts_.front()));
    return true;
  }

  void send(int64_t messages, int64_t bytes) {
    counts_.messages_sent += messages;
    counts_.message_bytes_sent += bytes + messages * plan::parcel_head_bytes(plan_.operation);
  }

  const Turns& turns_;
  const plan::Plan& plan_;
  const plan::FlushRules rules_;
  const plan::Prices& prices_;
  const int64_t gap_bytes_;
  const Alike& alike_;
  Blocks blocks_;
  int64_t least_parcel_ = 0;              // of the group's nodes
  std::vector<pattern::Interval> parts_;  // of the window that is counted
  std::vector<int64_t> others_;           // nodes with data in it
  // What a node has in the window of a realm in another cluster.
  struct Share {
    int relay, node, realm;
    int64_t bytes;
  };
  std::vector<Share> shares_;  // of the round that is counted
  Counts counts_;
};

// Each rank makes a request for each of its pieces.
Counts count_pieces(const Alike& alike, Operation operation) {
  const Turns& turns = alike.turns();
  const bool one_stretch = turns.ranks == 1 && turns.pitch_bytes == turns.bytes;
  const int64_t requests = turns.ranks * (one_stretch ? 1 : turns.pieces),
                bytes = turns.ranks * alike.rank_bytes();
  Counts counts;
  (operation == Operation::read ? counts.storage_reads : counts.storage_writes) = requests;
  (operation == Operation::read ? counts.storage_bytes_read : counts.storage_bytes_written) = bytes;
  return counts;
}

}  // namespace

Result<Counts> count(const Alike& alike, const plan::Facts& facts, const plan::Plan& plan,
                     const plan::FlushRules& rules) {
  if (plan.method == plan::Method::mapped) return Counts();
  if (plan.method == plan::Method::sieve)
    return cannot_count("sieving is not counted, since what a rank reads depends on when others hold locks");
  if (plan.method != plan::Method::two_phase) return count_pieces(alike, plan.operation);
  if (plan.behind_bytes > 0)
    return cannot_count("writes that are held back (concilio_write_behind) are not counted");
  const bool travels = std::any_of(plan.groups.begin(), plan.groups.end(),
                                   [](const plan::Group& group) { return group.nodes.size() > 1; });
  if (travels && plan.exchange != plan::ExchangeStrategy::descriptions)
    return cannot_count(plan::wants_no_descriptions(facts.wishes)
                            ? "an exchange of images is not counted; leave out concilio_exchange and "
                              "romio_cb_alltoall"
                            : "an exchange of images is not counted, and some node has too little memory for "
                              "descriptions, or data overlap");
  return Counting(alike, facts, plan, rules).run();
}

}  // namespace concilio::sim
