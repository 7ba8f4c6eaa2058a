#include "plan/layout/windows.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <span>

#include "base/checked.h"
#include "plan/facts/prices.h"
#include "plan/facts/spans.h"
#include "plan/layout/exchange.h"
#include "plan/layout/footprint.h"
#include "plan/layout/placement.h"
#include "plan/layout/realms.h"

namespace concilio::plan {
namespace {

// A window that stays in cache is as fast as a larger one: on a 2-core machine 1 MiB and 4 MiB took the same
// time.
constexpr int64_t default_window_bytes = usual_window_bytes;
constexpr int64_t default_images_bytes = 4 << 20;  // all windows of one node
// With very many realms, shorter windows would cost more in messages than they save in cache misses.
constexpr int64_t least_default_window_bytes = 64 << 10;
constexpr int64_t least_window_bytes = 4096;
constexpr int64_t greatest_window_bytes = 512 << 20;  // a message holds an image, and an MPI count an int
// The smallest window of a group is at least this part of the largest.
constexpr int64_t most_unlike = 4;

int64_t round_down(int64_t bytes, int64_t alignment) {
  if (bytes >= alignment && alignment > 1) return align_down(bytes, alignment);
  return bytes >= least_window_bytes ? align_down(bytes, least_window_bytes) : bytes;
}

// The largest value in [least, most] that is good; `least` if none is. Every value below a good one is good.
template <typename Good>
int64_t largest(int64_t least, int64_t most, Good&& good) {
  if (most <= least || good(most)) return std::max(least, most);
  int64_t fits = least, too_large = most;
  while (too_large - fits > 1) {
    const int64_t middle = fits + (too_large - fits) / 2;
    (good(middle) ? fits : too_large) = middle;
  }
  return fits;
}

// The windows of one group while they are being sized.
class Sizing {
 public:
  Sizing(const Facts& facts, Layout& layout, const Group& group, std::span<Realm> realms)
      : facts_(facts), layout_(layout), group_(group), realms_(realms), targets_(realms.size()) {
    for (size_t i = 0; i < realms.size(); ++i) of_node_[realms[i].node].push_back(i);
    const int64_t wished = facts.wishes.window_bytes;
    const int64_t usual = facts.trial.window_bytes > 0 ? facts.trial.window_bytes : automatic_window();
    for (size_t i = 0; i < realms.size(); ++i) {
      int64_t bytes = wished > 0 ? wished : round_down(usual, realms[i].alignment);
      if (wished <= 0 && facts.trial.window_bytes > 0) bytes = equal_windows(realms[i], bytes);
      bytes = std::min({bytes, whole_realm(realms[i]), greatest_window_bytes});
      if (realms[i].piece_bytes > 0 && realms[i].piece_bytes < bytes)
        bytes = std::min(bytes, realms[i].piece_bytes * most_window_parts);
      targets_[i] = std::max<int64_t>(1, bytes);
    }
  }

  bool run() { return layout_.exchange == ExchangeStrategy::descriptions ? each_for_itself() : all_alike(); }

 private:
  // Every node gives its aggregators the largest windows that it has room for beside its arenas.
  bool each_for_itself() {
    bool good = true;
    const std::vector<size_t> no_realms;
    for (const int node : group_.nodes) {
      const NodeFacts& its = facts_.nodes[static_cast<size_t>(node)];
      const auto found = of_node_.find(node);
      const std::vector<size_t>& of_node = found == of_node_.end() ? no_realms : found->second;
      int64_t& parcel = layout_.parcel_bytes[static_cast<size_t>(node)];
      parcel = parcel_bytes(layout_, facts_, its, !of_node.empty());
      const bool travels = group_.nodes.size() > 1;
      const int64_t arenas = travels ? arenas_bytes(parcel, false) : 0;
      const int64_t told = travels ? layout_.own_told_bytes[static_cast<size_t>(node)] : 0;
      int64_t most = 1;
      for (const size_t i : of_node) most = std::max(most, targets_[i]);
      const int64_t least = std::min(most, least_window_bytes);
      const auto room = [&](int64_t own) { return has_room(its, of_node, own, arenas, told); };
      good = good && room(least);
      cap_ = largest(least, most, room);
      for (const size_t i : of_node) {
        realms_[i].window_bytes = targets_[i];
        cut_short(i, cap_);
      }
    }
    return good;
  }

  bool all_alike() {
    const int64_t most = *std::max_element(targets_.begin(), targets_.end());
    const int64_t least = std::min(most, least_window_bytes);
    cap_ = largest(least, most, [&](int64_t cap) { return fits(cap); });
    const bool good = fits(cap_);
    const int64_t all = images(cap_);
    for (size_t i = 0; i < realms_.size(); ++i) realms_[i].window_bytes = capped(i, cap_);
    int64_t smallest = cap_;  // the smallest window of those that are cut short
    for (const auto& [node, of_node] : of_node_) {
      const int64_t own = good ? own_window(node, of_node, cap_, all - images(of_node, cap_)) : least;
      for (const size_t i : of_node) smallest = std::min(smallest, cut_short(i, own));
    }
    // Windows in whole units may be less than a quarter of the largest even if their limits were not.
    for (size_t i = 0; i < realms_.size(); ++i) cut_short(i, smallest * most_unlike);
    return good;
  }

  // Cuts a window to `limit`, in whole units of the alignment, if the limit and not the wish makes it
  // shorter. Returns the new length, or the cap if the window is not cut.
  int64_t cut_short(size_t i, int64_t limit) {
    int64_t& bytes = realms_[i].window_bytes;
    const int64_t most = std::min(limit, cap_);
    if (most >= targets_[i]) return cap_;
    bytes = std::min(bytes, round_down(most, realms_[i].alignment));
    // As many windows of the same length take less memory.
    const int64_t whole = whole_realm(realms_[i]), unit = unit_of(realms_[i]);
    bytes = std::min(bytes, align_up(ceil_divide(whole, ceil_divide(whole, bytes)), unit));
    return bytes;
  }

  // The window size at which the images of one node take the default memory.
  int64_t automatic_window() const {
    const int64_t realms = images_of_node();
    const int64_t share = default_images_bytes / std::max<int64_t>(1, realms * most_slots);
    int64_t bytes = std::clamp(share, least_default_window_bytes, default_window_bytes);
    bytes = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(bytes)));
    // With a tiny granule, maps are as large as their windows; they may take a quarter of what the windows
    // do.
    const int64_t most_bytes = default_images_bytes + default_images_bytes / 4;
    const auto all = [&] { return realms * sizes_of(layout_, group_, realms_.front(), bytes).slots_bytes; };
    while (bytes > least_default_window_bytes && all() > most_bytes) bytes /= 2;
    return bytes;
  }

  // The number of realms of which a node has images; of the node with most.
  int64_t images_of_node() const {
    if (layout_.exchange != ExchangeStrategy::descriptions) return std::ssize(realms_);
    int64_t most = 1;
    for (const auto& [node, of_node] : of_node_) most = std::max<int64_t>(most, std::ssize(of_node));
    return most;
  }

  // The window that holds a whole realm, in whole units of its alignment.
  static int64_t whole_realm(const Realm& realm) {
    const int64_t begin = realm.positions.front().begin;
    const __int128 from_border =
        static_cast<__int128>(realm.bytes) + (begin - align_down(begin, realm.alignment));
    const __int128 whole = (from_border + realm.alignment - 1) / realm.alignment * realm.alignment;
    return static_cast<int64_t>(std::min<__int128>(whole, greatest_window_bytes));
  }

  // Windows of equal length are as many of these, so that they lie as the realm is aligned.
  static int64_t unit_of(const Realm& realm) {
    return align_up(least_window_bytes, std::max<int64_t>(1, realm.alignment));
  }

  // Windows of about so many bytes, rather fewer, so that all rounds of a realm bring equally much.
  static int64_t equal_windows(const Realm& realm, int64_t bytes) {
    const int64_t whole = whole_realm(realm), unit = unit_of(realm);
    const int64_t rounds =
        std::max<int64_t>(1, (whole - 1) / bytes + (2 * ((whole - 1) % bytes + 1) >= bytes ? 1 : 0));
    const int64_t equal = align_up(ceil_divide(whole, rounds), unit);
    return 2 * equal <= 3 * bytes ? equal : bytes;
  }

  int64_t capped(size_t i, int64_t cap) const { return std::min(targets_[i], cap); }
  // Of a window that may still be cut shorter, so that there may be several.
  Sizes sizes(size_t i, int64_t window) const {
    const bool final = layout_.exchange == ExchangeStrategy::descriptions && window == targets_[i];
    return final ? sizes_of(layout_, group_, realms_[i], window)
                 : sizes_of_several(layout_, group_, realms_[i], window);
  }

  // Whether a node has room for the images of these aggregators' realms with windows of at most `own`, for
  // all else in its segment, which takes `others` bytes, and for what its ranks keep of each other's
  // requests.
  bool has_room(const NodeFacts& node, const std::vector<size_t>& of_node, int64_t own, int64_t others,
                int64_t told = 0) const {
    int64_t segment = others, private_bytes = told, most_private = told > 0 ? layout_.told_bytes : 0;
    for (const size_t i : of_node) {
      const Sizes s = sizes(i, capped(i, own));
      segment += s.slots_bytes;
      private_bytes += s.staging_bytes;
      most_private = std::max(most_private, s.staging_bytes);
    }
    const NodeLimit limit = node_limit(facts_, node);
    return segment + private_bytes <= limit.node_bytes &&
           ceil_divide(segment, std::max<int64_t>(1, node.ranks)) + most_private <= limit.rank_bytes;
  }

  int64_t images(int64_t cap) const {
    int64_t bytes = 0;
    for (size_t i = 0; i < realms_.size(); ++i) bytes += sizes(i, capped(i, cap)).slots_bytes;
    return bytes;
  }
  int64_t images(const std::vector<size_t>& some, int64_t cap) const {
    int64_t bytes = 0;
    for (const size_t i : some) bytes += sizes(i, capped(i, cap)).slots_bytes;
    return bytes;
  }

  // The largest windows of a node's own aggregators, if other windows are at most `cap` and their images take
  // `others` bytes; 0 if there is no room.
  int64_t own_window(int node, const std::vector<size_t>& of_node, int64_t cap, int64_t others) const {
    const NodeFacts& its = facts_.nodes[static_cast<size_t>(node)];
    const int64_t least = std::max<int64_t>(1, cap / most_unlike);
    if (!has_room(its, of_node, least, others)) return 0;
    return largest(least, cap, [&](int64_t own) { return has_room(its, of_node, own, others); });
  }

  bool fits(int64_t cap) const {
    const int64_t all = images(cap);
    const int64_t least = std::max<int64_t>(1, cap / most_unlike);
    const std::vector<size_t> no_realms;
    for (const int node : group_.nodes) {
      const auto found = of_node_.find(node);
      const std::vector<size_t>& of_node = found == of_node_.end() ? no_realms : found->second;
      const int64_t others = of_node.empty() ? all : all - images(of_node, cap);
      if (!has_room(facts_.nodes[static_cast<size_t>(node)], of_node, least, others)) return false;
    }
    return true;
  }

  const Facts& facts_;
  Layout& layout_;
  const Group& group_;
  std::span<Realm> realms_;
  std::vector<int64_t> targets_;                // the size of each window without limits
  std::map<int, std::vector<size_t>> of_node_;  // the realms aggregated on each node
  int64_t cap_ = 0;
};

// By how much the first window is to be shorter, so that it is no longer than the last one, which gets that;
// in whole units of the realm's alignment.
int64_t moved_to_last(const Realm& realm) {
  const int64_t rounds = rounds_of(realm);
  if (rounds < 2 || realm.alignment <= 1 || realm.window_bytes % realm.alignment != 0) return 0;
  const int64_t first = realm.window_bytes - realm.pad_bytes;
  const int64_t last = realm.bytes - first - (rounds - 2) * realm.window_bytes;
  const int64_t moved = align_up((std::max<int64_t>(0, first - last) + 1) / 2, realm.alignment);
  return moved < first && last + moved <= realm.window_bytes ? moved : 0;
}

}  // namespace

bool size_windows(const Facts& facts, Layout& layout, Group& group) {
  const auto first = layout.realms.begin() + group.first_realm, end = layout.realms.begin() + group.end_realm;
  const std::span<Realm> realms(first, end);
  group.rounds = 0;
  if (realms.empty()) return true;
  const bool good = Sizing(facts, layout, group, realms).run();
  // Written data of the first window come together while storage has nothing to do yet, so that one is not to
  // be the longest.
  const bool short_first = layout.operation == Operation::write && facts.wishes.pipelining &&
                           !prices_of(facts).from_memory && !realm_policy_row(layout.policy).of_file;
  for (Realm& realm : realms) {
    realm.pad_bytes = pad_bytes(realm, realm.window_bytes);
    if (short_first) realm.pad_bytes += moved_to_last(realm);
    const Sizes sizes = sizes_of(layout, group, realm, realm.window_bytes);
    realm.slots = sizes.slots;
    realm.map_bytes = sizes.map_bytes;
    realm.image_bytes = sizes.image_bytes;
    group.rounds = std::max(group.rounds, rounds_of(realm));
  }
  return good;
}

int64_t realms_with_room(const Layout& layout, const Group& group) {
  const int64_t now = group.end_realm - group.first_realm;
  if (group.nodes.size() < 2 || layout.exchange == ExchangeStrategy::descriptions) return now;
  int64_t largest = 0;
  bool cut_short = false;  // some realm would fill a larger window
  for (int i = group.first_realm; i < group.end_realm; ++i) {
    const Realm& realm = layout.realms[static_cast<size_t>(i)];
    largest = std::max(largest, realm.window_bytes);
    cut_short = cut_short || rounds_of(realm) > 1;
  }
  if (!cut_short || largest >= least_default_window_bytes) return now;
  // The images of all realms together take about the same memory, however many realms there are.
  return std::max<int64_t>(
      1, static_cast<int64_t>(static_cast<__int128>(now) * largest / least_default_window_bytes));
}

int64_t rounds_of(const Realm& realm) {
  if (realm.bytes <= 0 || realm.window_bytes <= 0) return 0;
  // Rounds up without adding first, as a realm may be nearly as long as the largest number.
  const int64_t first = realm.window_bytes - realm.pad_bytes;
  return realm.bytes <= first ? 1 : 1 + ceil_divide(realm.bytes - first, realm.window_bytes);
}

namespace {

// As many of `wanted` realms, but at least 1, as have images of these sizes that fit on every node of the
// group.
int64_t most_realms_of(const Sizes& sizes, const Facts& facts, const Layout& layout, const Group& group,
                       int64_t wanted) {
  const bool describes = layout.exchange == ExchangeStrategy::descriptions;
  const auto room_for = [&](int64_t count) {
    return std::all_of(group.nodes.begin(), group.nodes.end(), [&](int index) {
      const NodeFacts& node = facts.nodes[static_cast<size_t>(index)];
      const NodeLimit limit = node_limit(facts, node);
      const int64_t own = std::min(count, aggregators_per_node(facts, node, group.nodes.size()));
      int64_t segment = (describes ? own : count) * sizes.slots_bytes;
      int64_t told = 0;
      if (describes && group.nodes.size() > 1) {
        segment += arenas_bytes(parcel_bytes(layout, facts, node, own > 0), false);
        told = layout.own_told_bytes[static_cast<size_t>(index)];
      }
      return segment + told + own * sizes.staging_bytes <= limit.node_bytes &&
             ceil_divide(segment, std::max<int64_t>(1, node.ranks)) + sizes.staging_bytes <= limit.rank_bytes;
    });
  };
  return largest(1, wanted, room_for);
}

}  // namespace

int64_t most_realms(const Facts& facts, const Layout& layout, const Group& group, int64_t wanted) {
  int64_t window_bytes =
      std::min(least_window_bytes, total_bytes(group.spans) / std::max<int64_t>(1, wanted));
  if (facts.wishes.window_bytes > 0) window_bytes = std::min(window_bytes, facts.wishes.window_bytes);
  Sizes sizes = sizes_of(layout, group, Realm{}, std::max<int64_t>(1, window_bytes));
  sizes.staging_bytes = 0;  // the aggregators are not known yet
  return most_realms_of(sizes, facts, layout, group, wanted);
}

int64_t most_lasting_realms(const Facts& facts, const Layout& layout, const Group& group, int64_t wanted) {
  Layout worst;
  worst.operation = Operation::write;
  worst.behind_bytes = layout.behind_bytes;
  worst.granule = {1, 0};
  Realm realm;
  realm.positions.resize(bucket_count);
  realm.piece_bytes = least_window_bytes / most_window_parts;
  // Later calls may exchange in another form, and describe more than this one does.
  worst.description_bytes = room_for_description(short_description_bytes);
  worst.told_bytes = most_for_descriptions(facts);
  for (const NodeFacts& node : facts.nodes)
    worst.own_told_bytes.push_back(node.ranks * most_of_own_descriptions(facts, node));
  int64_t most = wanted;
  for (const ExchangeStrategy exchange : {ExchangeStrategy::images, ExchangeStrategy::descriptions}) {
    worst.exchange = exchange;
    const Sizes sizes = sizes_of(worst, group, realm, least_window_bytes);
    most = most_realms_of(sizes, facts, worst, group, most);
  }
  return most;
}

namespace {

// What the ranks of each node keep in an exchange whether they aggregate or not: of what they ask for
// themselves, or what their leader tells and is told.
std::map<int, int64_t> kept_of(const Layout& layout, const Group& group) {
  std::map<int, int64_t> kept = letters_of(layout, group);
  for (const int node : group.nodes) {
    if (layout.exchange == ExchangeStrategy::descriptions && group.nodes.size() > 1)
      kept[node] = layout.own_told_bytes[static_cast<size_t>(node)];
    else
      kept.try_emplace(node, 0);
  }
  return kept;
}

}  // namespace

int64_t peak_bytes(const Facts& facts, const Layout& layout) {
  int64_t peak = 0;
  for (const Group& group : layout.groups) {
    const std::map<int, int64_t> segments = segments_of(layout, group), kept = kept_of(layout, group);
    const auto share = [&](int node) {
      const int64_t ranks = facts.nodes[static_cast<size_t>(node)].ranks;
      return ceil_divide(segments.at(node), std::max<int64_t>(1, ranks));
    };
    const bool told = layout.exchange == ExchangeStrategy::descriptions && group.nodes.size() > 1;
    // The leader of a node tells others, and may aggregate too.
    const auto of_leader = [&](int node) { return told ? 0 : kept.at(node); };
    for (const int node : group.nodes)
      peak = std::max(peak, share(node) + (told ? layout.told_bytes : of_leader(node)));
    for (int i = group.first_realm; i < group.end_realm; ++i) {
      const Realm& realm = layout.realms[static_cast<size_t>(i)];
      peak = std::max(peak, share(realm.node) + of_leader(realm.node) + staging_bytes(layout, group, realm));
    }
  }
  return peak;
}

void add_up_memory(const Facts& facts, Layout& layout) {
  layout.segment_bytes = layout.staging_bytes = 0;
  for (Group& group : layout.groups) {
    group.segment_bytes = 0;
    for (const auto& [node, bytes] : segments_of(layout, group))
      group.segment_bytes = std::max(group.segment_bytes, bytes);
    layout.segment_bytes = std::max(layout.segment_bytes, group.segment_bytes);
  }
  for (const Realm& realm : layout.realms) {
    const Group& group = layout.groups[static_cast<size_t>(realm.group)];
    layout.staging_bytes = std::max(layout.staging_bytes, staging_bytes(layout, group, realm));
  }
  layout.peak_bytes = peak_bytes(facts, layout);
}

bool is_within_limits(const Facts& facts, const Layout& layout) {
  const std::vector<int64_t> bytes = bytes_of_nodes(layout);
  for (size_t node = 0; node < bytes.size(); ++node) {
    const NodeLimit limit = node_limit(facts, facts.nodes[node]);
    if (bytes[node] > limit.node_bytes || layout.peak_bytes > limit.rank_bytes) return false;
  }
  return true;
}

int64_t node_bytes(const Layout& layout, int node) {
  const int index = layout.group_of_node[static_cast<size_t>(node)];
  if (index < 0) return 0;
  const Group& group = layout.groups[static_cast<size_t>(index)];
  int64_t bytes = segment_bytes(layout, group, node) + kept_of(layout, group).at(node);
  for (int i = group.first_realm; i < group.end_realm; ++i) {
    const Realm& realm = layout.realms[static_cast<size_t>(i)];
    if (realm.node == node) bytes += staging_bytes(layout, group, realm);
  }
  return bytes;
}

std::vector<int64_t> bytes_of_nodes(const Layout& layout) {
  std::vector<int64_t> bytes(layout.group_of_node.size());
  for (const Group& group : layout.groups) {
    for (const auto& [node, segment] : segments_of(layout, group))
      bytes[static_cast<size_t>(node)] += segment;
    for (const auto& [node, kept] : kept_of(layout, group)) bytes[static_cast<size_t>(node)] += kept;
    for (int i = group.first_realm; i < group.end_realm; ++i) {
      const Realm& realm = layout.realms[static_cast<size_t>(i)];
      bytes[static_cast<size_t>(realm.node)] += staging_bytes(layout, group, realm);
    }
  }
  return bytes;
}

}  // namespace concilio::plan
