#include "plan/layout/footprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/checked.h"
#include "base/settings/config.h"
#include "base/text/bytes.h"
#include "plan/layout/placement.h"

namespace concilio::plan {
namespace {

constexpr int64_t cache_line_bytes = 64;
constexpr int64_t message_head_bytes = 64;
constexpr int64_t coverage_head_bytes = 16;
constexpr int64_t synchronisation_bytes = 64;  // counters of one image
constexpr int64_t messages_held = 2;
constexpr int64_t description_head_bytes = 64;  // what a description takes besides its nest
constexpr int64_t greatest_parcel_bytes = 1 << 20;
// A node's two arenas together take an eighth of its limit if the node has windows too. Otherwise they take
// all but a quarter, which is left to what the ranks know of each other's requests.
constexpr int64_t share_beside_windows = 8;
// A list of pieces that nodes tell each other takes at most this part of its data.
constexpr int64_t data_in_list = 4;
// All descriptions take at most this part of what a rank may have. Long ones of its node's ranks take half as
// much.
constexpr int64_t share_for_descriptions = 4;

// ROMIO's sieve buffers hold 4 MiB for reads and 512 KiB for writes, the latter because a lock covers each. A
// read buffer larger than a core's cache gains nothing.
constexpr int64_t default_sieve_read_bytes = 1 << 20;
constexpr int64_t default_sieve_write_bytes = 512 << 10;
constexpr int64_t default_limit_bytes = 8 << 20;

int64_t wished_limit(const Facts& facts) {
  return facts.wishes.memory_limit_bytes > 0 ? facts.wishes.memory_limit_bytes : default_limit_bytes;
}

}  // namespace

int64_t most_parts(const Realm& realm, int64_t window_bytes) {
  const auto stretches = static_cast<int64_t>(realm.positions.size());
  // Every stretch may begin and end in the middle of a piece.
  return realm.piece_bytes > 0 ? 2 * stretches + window_bytes / realm.piece_bytes + 2 : stretches;
}

int64_t map_bytes(const Realm& realm, int64_t window_bytes, int64_t granule) {
  const int64_t parts = most_parts(realm, window_bytes);
  return align_up(window_bytes / std::max<int64_t>(1, granule) + 2 * parts, cache_line_bytes);
}

int64_t image_bytes(int64_t window_bytes, int64_t map_bytes) {
  return map_bytes + message_head_bytes + align_up(window_bytes, cache_line_bytes);
}

int64_t coverage_bytes(int64_t map_bytes) {
  constexpr auto run_bytes = static_cast<int64_t>(sizeof(pattern::Run));
  // Runs are told if they are not longer than a bit for each granule.
  const int64_t runs_bytes = (map_bytes / 8 / run_bytes + 1) * run_bytes;
  return align_up(coverage_head_bytes + std::max(runs_bytes, ceil_divide(map_bytes, 8)), cache_line_bytes);
}

int64_t wish_bytes(int64_t map_bytes) {
  return message_head_bytes + coverage_bytes(map_bytes);
}

std::map<int, int64_t> letters_of(const Layout& layout, const Group& group) {
  constexpr int64_t number_bytes = sizeof(int64_t);
  const int64_t nodes = std::ssize(group.nodes), realms = group.end_realm - group.first_realm;
  std::map<int, int64_t> letters;
  if (layout.exchange != ExchangeStrategy::alltoallw || nodes < 2) return letters;
  struct Served {
    int64_t realms = 0, bytes = 0;
  };
  std::map<int, Served> served;
  int64_t all_bytes = 0;
  for (int i = group.first_realm; i < group.end_realm; ++i) {
    const Realm& realm = layout.realms[static_cast<size_t>(i)];
    const int64_t bytes = number_bytes + coverage_bytes(realm.map_bytes);
    ++served[realm.node].realms;
    served[realm.node].bytes += bytes;
    all_bytes += bytes;
  }
  for (const int node : group.nodes) {
    // A node tells the ends of its windows, and what it has in those of others; and is told likewise.
    const Served own = served[node];
    letters[node] = nodes * (own.realms * number_bytes + own.bytes) + (all_bytes - own.bytes) +
                    (realms - own.realms) * number_bytes;
  }
  return letters;
}

int64_t message_bytes(int64_t image_bytes) {
  return message_head_bytes + image_bytes;
}

bool has_image(const Layout& layout, const Realm& realm, int node) {
  return layout.exchange != ExchangeStrategy::descriptions || realm.node == node;
}

int64_t parcel_head_bytes(Operation operation) {
  return operation == Operation::read ? static_cast<int64_t>(sizeof(int64_t)) : 0;
}

namespace {

// What all ranks of a node together may take.
int64_t limit_of_all(const Facts& facts, const NodeFacts& node) {
  const NodeLimit limit = node_limit(facts, node);
  return std::min(limit.node_bytes,
                  checked_multiply(limit.rank_bytes, std::max<int64_t>(1, node.ranks)).value_or(INT64_MAX));
}

}  // namespace

int64_t most_of_own_descriptions(const Facts& facts, const NodeFacts& node) {
  return limit_of_all(facts, node) / share_for_descriptions / std::max<int64_t>(1, node.ranks);
}

int64_t longest_description(const Facts& facts) {
  int64_t most = facts.digest.max_rank_bytes / data_in_list;
  for (const NodeFacts& node : facts.nodes) {
    const int64_t ranks = std::max<int64_t>(1, node.ranks);
    // They are brought together in the node's arenas.
    const int64_t together = std::min(most_of_own_descriptions(facts, node) / 2, 2 * greatest_parcel_bytes);
    most = std::min(most, together / ranks - description_head_bytes);
  }
  return std::max(most, short_description_bytes);
}

int64_t room_for_description(int64_t description_bytes) {
  return description_bytes + description_head_bytes;
}

int64_t descriptions_bytes(const Facts& facts, int64_t ranks) {
  const auto nests =
      checked_multiply(std::min(ranks, facts.digest.ranks_with_data), facts.digest.description_bytes);
  return checked_add(nests.value_or(INT64_MAX), ranks * kept_head_bytes).value_or(INT64_MAX);
}

bool has_room_for_own_descriptions(const Facts& facts) {
  return std::all_of(facts.nodes.begin(), facts.nodes.end(), [&](const NodeFacts& node) {
    return descriptions_bytes(facts, node.ranks) <= most_of_own_descriptions(facts, node);
  });
}

int64_t room_for_descriptions(const Facts& facts, int64_t ranks) {
  const auto all = checked_multiply(descriptions_bytes(facts, ranks), description_uses);
  return std::min(all.value_or(INT64_MAX), most_for_descriptions(facts));
}

int64_t most_for_descriptions(const Facts& facts) {
  int64_t most = INT64_MAX;
  for (const NodeFacts& node : facts.nodes) {
    const NodeLimit limit = node_limit(facts, node);
    most = std::min(
        {most, limit.rank_bytes / share_for_descriptions, limit.node_bytes / share_for_descriptions});
  }
  return most;
}

int64_t parcel_bytes(const Layout& layout, const Facts& facts, const NodeFacts& node, bool aggregates) {
  const int64_t all = limit_of_all(facts, node);
  const int64_t arenas = aggregates
                             ? all / share_beside_windows
                             : all - all / share_for_descriptions - arenas_bytes(parcel_alignment, false);
  const int64_t share = std::clamp(arenas / 2, least_parcel_bytes, greatest_parcel_bytes);
  return align_up(std::max(share, node.ranks * layout.description_bytes / 2), parcel_alignment);
}

int64_t arena_bytes(int64_t parcel_bytes) {
  return parcel_bytes + parcel_alignment;
}

int64_t arenas_bytes(int64_t parcel_bytes, bool clusters) {
  return (clusters ? 4 : 2) * arena_bytes(parcel_bytes) + 2 * synchronisation_bytes;
}

int64_t staging_part_bytes(const Layout& layout, const Group& group, int64_t window_bytes) {
  const int64_t parcels = std::ssize(group.nodes) + window_bytes / least_parcel_bytes;
  return align_up(window_bytes + parcels * parcel_head_bytes(layout.operation), parcel_alignment);
}

int64_t pad_bytes(const Realm& realm, int64_t window_bytes) {
  if (realm.alignment <= 1 || window_bytes % realm.alignment != 0 || realm.positions.empty()) return 0;
  const int64_t begin = realm.positions.front().begin;
  return begin - align_down(begin, realm.alignment);
}

namespace {

// Only where there is a next window.
int64_t slots_of(const Realm& realm, int64_t window_bytes) {
  const bool whole = realm.bytes > 0 && realm.bytes <= window_bytes - pad_bytes(realm, window_bytes);
  return whole ? 1 : most_slots;
}

}  // namespace

int64_t slots_bytes(int64_t slots, int64_t image_bytes) {
  return slots * image_bytes + most_slots * synchronisation_bytes;
}

namespace {

Sizes sizes_with(int64_t slots, const Layout& layout, const Group& group, const Realm& realm,
                 int64_t window_bytes) {
  Sizes sizes{};
  sizes.window_bytes = window_bytes;
  sizes.slots = slots;
  sizes.map_bytes = map_bytes(realm, window_bytes, layout.granule.granule);
  sizes.image_bytes = image_bytes(window_bytes, sizes.map_bytes);
  const bool travels = group.nodes.size() > 1;
  if (travels && layout.exchange != ExchangeStrategy::descriptions)
    sizes.image_bytes += wish_bytes(sizes.map_bytes);
  sizes.slots_bytes = slots_bytes(sizes.slots, sizes.image_bytes);
  if (layout.operation == Operation::write)
    sizes.staging_bytes += (layout.may_have_holes ? window_bytes : 0) + layout.behind_bytes;
  if (travels && layout.exchange == ExchangeStrategy::descriptions)
    sizes.staging_bytes += sizes.slots * staging_part_bytes(layout, group, window_bytes) + layout.told_bytes;
  if (travels && layout.exchange == ExchangeStrategy::images)
    sizes.staging_bytes += messages_held * message_bytes(sizes.image_bytes);
  return sizes;
}

}  // namespace

Sizes sizes_of(const Layout& layout, const Group& group, const Realm& realm, int64_t window_bytes) {
  return sizes_with(slots_of(realm, window_bytes), layout, group, realm, window_bytes);
}

Sizes sizes_of_several(const Layout& layout, const Group& group, const Realm& realm, int64_t window_bytes) {
  return sizes_with(most_slots, layout, group, realm, window_bytes);
}

int64_t staging_bytes(const Layout& layout, const Group& group, const Realm& realm) {
  return sizes_of(layout, group, realm, realm.window_bytes).staging_bytes;
}

namespace {

// What a node shares besides images.
int64_t arenas_of(const Layout& layout, const Group& group, int node) {
  if (layout.exchange != ExchangeStrategy::descriptions || group.nodes.size() < 2) return 0;
  return arenas_bytes(layout.parcel_bytes[static_cast<size_t>(node)], layout.combined_nodes > 1);
}

}  // namespace

int64_t segment_bytes(const Layout& layout, const Group& group, int node) {
  int64_t bytes = arenas_of(layout, group, node);
  for (int i = group.first_realm; i < group.end_realm; ++i) {
    const Realm& realm = layout.realms[static_cast<size_t>(i)];
    if (has_image(layout, realm, node)) bytes += slots_bytes(realm.slots, realm.image_bytes);
  }
  return bytes;
}

std::map<int, int64_t> segments_of(const Layout& layout, const Group& group) {
  std::map<int, int64_t> segments;
  int64_t all = 0;
  for (const int node : group.nodes) segments[node] = arenas_of(layout, group, node);
  for (int i = group.first_realm; i < group.end_realm; ++i) {
    const Realm& realm = layout.realms[static_cast<size_t>(i)];
    const int64_t bytes = slots_bytes(realm.slots, realm.image_bytes);
    if (layout.exchange == ExchangeStrategy::descriptions)
      segments[realm.node] += bytes;
    else
      all += bytes;
  }
  for (auto& [node, bytes] : segments) bytes += all;
  return segments;
}

NodeLimit node_limit(const Facts& facts, const NodeFacts& node) {
  const int64_t ranks = std::max<int64_t>(1, node.ranks);
  const int64_t of_rank = std::max(wished_limit(facts), memory_floor_bytes);
  return {of_rank, std::max(node.free_bytes / 2, ranks * memory_floor_bytes)};
}

int64_t enough_memory(const Facts& facts, const NodeFacts& node) {
  const int64_t ranks = std::max<int64_t>(1, node.ranks);
  const int64_t of_all = checked_multiply(2 * ranks, node_limit(facts, node).rank_bytes).value_or(INT64_MAX);
  const int64_t for_aggregators =
      checked_multiply(std::ssize(node.candidates), least_memory(facts)).value_or(INT64_MAX);
  return std::max(of_all, for_aggregators);
}

MemoryLimit memory_limit(const Facts& facts) {
  const int64_t wished = wished_limit(facts);
  int64_t free_share = INT64_MAX;
  for (const NodeFacts& node : facts.nodes) {
    free_share = std::min(free_share, node.free_bytes / 2 / std::max<int64_t>(1, node.ranks));
  }
  if (std::min(wished, free_share) >= memory_floor_bytes) return {std::min(wished, free_share), ""};
  const std::string floor = format_bytes(memory_floor_bytes);
  if (wished < memory_floor_bytes) {
    return {memory_floor_bytes,
            fmt::format("the memory limit of {} a rank is below the floor; planned with {}",
                        format_bytes(wished), floor)};
  }
  return {memory_floor_bytes,
          fmt::format("a node has only {} of free memory a rank to spare; planned with {}",
                      format_bytes(std::max<int64_t>(0, free_share)), floor)};
}

int64_t sieve_buffer_bytes(const Facts& facts) {
  int64_t bytes = facts.wishes.sieve_buffer_bytes;
  if (bytes <= 0)
    bytes = facts.operation == Operation::read ? default_sieve_read_bytes : default_sieve_write_bytes;
  bytes = std::min(bytes, memory_limit(facts).bytes / 2);
  return std::max<int64_t>(1, std::min(bytes, facts.digest.end - facts.digest.first));
}

}  // namespace concilio::plan
