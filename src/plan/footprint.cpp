#include "plan/footprint.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.h"
#include "base/config.h"

namespace concilio {
namespace {

constexpr int64_t cache_line_bytes = 64;
constexpr int64_t message_head_bytes = 64;
constexpr int64_t synchronisation_bytes = 64;  // counters of one image
constexpr int64_t messages_held = 2;

// ROMIO's sieve buffers hold 4 MiB for reads, 512 KiB for writes, the latter because a lock covers one. A
// read buffer larger than a core's cache gains nothing.
constexpr int64_t default_sieve_read_bytes = 1 << 20;
constexpr int64_t default_sieve_write_bytes = 512 << 10;
constexpr int64_t default_limit_bytes = 8 << 20;

}  // namespace

Shape shape_of(const Facts& facts, const Plan& plan) {
  Shape shape;
  shape.realms = static_cast<int64_t>(plan.realms.size());
  shape.slots = plan.slots;
  shape.granule = std::max<int64_t>(1, plan.granule.granule);
  for (const Realm& realm : plan.realms) {
    shape.spans = std::max(shape.spans, static_cast<int64_t>(realm.spans.size()));
  }
  shape.nodes = static_cast<int64_t>(facts.nodes.size());
  int64_t ranks = INT64_MAX;
  for (const NodeFacts& node : facts.nodes) ranks = std::min(ranks, std::max<int64_t>(1, node.ranks));
  shape.ranks = facts.nodes.empty() ? 1 : ranks;
  shape.writes = facts.operation == Operation::write;
  return shape;
}

Footprint footprint(const Shape& shape, int64_t window_bytes) {
  Footprint out{};
  out.map_bytes = align_up(window_bytes / shape.granule + 2 * shape.spans, cache_line_bytes);
  out.image_bytes = 2 * message_head_bytes + out.map_bytes + align_up(window_bytes, cache_line_bytes);
  out.segment_bytes = shape.realms * shape.slots * (out.image_bytes + synchronisation_bytes);
  if (shape.writes) out.staging_bytes += window_bytes;
  if (shape.nodes > 1) {
    out.staging_bytes += messages_held * out.image_bytes;
  }
  out.peak_bytes = ceil_divide(out.segment_bytes, shape.ranks) + out.staging_bytes;
  return out;
}

int64_t most_realms(const Shape& shape, int64_t window_bytes, int64_t limit_bytes) {
  Shape one = shape;
  one.realms = 1;
  const Footprint of_one = footprint(one, window_bytes);
  const int64_t for_segment = std::max<int64_t>(0, limit_bytes - of_one.staging_bytes);
  return static_cast<int64_t>(
      std::min<__int128>(static_cast<__int128>(for_segment) * shape.ranks / of_one.segment_bytes, INT64_MAX));
}

MemoryLimit memory_limit(const Facts& facts) {
  const int64_t wished =
      facts.wishes.memory_limit_bytes > 0 ? facts.wishes.memory_limit_bytes : default_limit_bytes;
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

}  // namespace concilio
