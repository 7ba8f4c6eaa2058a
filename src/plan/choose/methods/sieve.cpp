// Data sieving: large requests that include the holes between the pieces.
#include <algorithm>

#include "plan/choose/method_table.h"
#include "plan/choose/shared_stripes.h"
#include "plan/facts/digest.h"
#include "plan/layout/footprint.h"

namespace concilio::plan {

Phrase obstacle_to_sieve(const Facts& facts) {
  const bool writes = facts.operation == Operation::write;
  if (facts.wishes.sieving == Choice3::disable)
    return {writes ? "romio_ds_write=disable" : "romio_ds_read=disable"};
  if (!facts.digest.monotone) return {"the bytes are not asked for in ascending order"};
  if (writes && !facts.locks_work) return {"locks do not work on this storage"};
  if (writes && facts.others_write)
    return {"somebody else may be writing between the bytes, such as another open of the file"};
  return {};
}

namespace {

// Of the bytes that a rank reads between its pieces in a call of its own, those that come from the cache of
// another core, as the rank there writes them: half as fast as what this core has. 8 pieces of 4 KiB, half of
// what lay there, were read in 6 us one by one and in 10 us together.
double from_other_cores(const Facts& facts, double bytes) {
  constexpr double cache_of_core_bytes = 1 << 20;
  return most_ranks_of_node(facts) > 1 ? std::clamp(bytes, 0.0, cache_of_core_bytes) : 0;
}

}  // namespace

Cost cost_of_sieve(const Facts& facts, const Layout&, const Prices& prices) {
  const Digest& digest = facts.digest;
  const bool writes = facts.operation == Operation::write;
  const double ranks = ranks_at_work(facts), pieces = static_cast<double>(digest.file_pieces);
  const double all_span = static_cast<double>(digest.span), bytes = static_cast<double>(digest.bytes);
  const double most_bytes = std::min(static_cast<double>(sieve_buffer_bytes(facts)), all_span / ranks);
  // A buffer holds pieces and the holes between them; one that has room for a single piece has no holes.
  const bool single = all_span / std::max(1.0, pieces) >= most_bytes;
  const double span = single ? bytes : all_span;
  const double buffers = single ? std::max(pieces, bytes / std::max(1.0, most_bytes))
                                : std::max(span / std::max(1.0, most_bytes), ranks);
  const bool modifies = writes && bytes < span;
  // Ranks whose spans overlap read the same bytes at about the same time: all but the first find them in a
  // cache, if there is one.
  const double distinct = std::min(span, static_cast<double>(digest.end - digest.first));
  const double again = prices.from_memory ? span - distinct : 0;
  const double first = distinct < span && prices.from_memory ? distinct / span : 1;
  // Without holes only a rank's first window does not begin where its last one ended.
  const double jumps = bytes < all_span || ranks > 1 ? buffers : 1;
  const FlushCost at_first = modifies ? rewritten(buffers, span, jumps, prices)
                                      : transferred(buffers, span, jumps, prices.of(facts.operation));
  const double request_seconds = at_first.request_seconds;
  // Writers that modify what lies between others' pieces wait for each other's locks.
  const bool take_turns = modifies && span > static_cast<double>(digest.end - digest.first);
  // So do ranks in calls of their own, but no longer than for their turns at the file with a request for each
  // piece, if each has a core. Where they share cores, such requests are in nobody's way, and who has a lock
  // waits for a core besides: with 4 ranks on 2 cores, 64 pieces of 512 B each took twice as long.
  const double waits = modifies && !facts.collective && prices.from_memory ? ranks_per_core(facts) : 1;
  const double targets = targets_of_request(facts, span / buffers);
  const double at_once = take_turns ? 1 : together(facts, ranks, span / buffers, prices);
  const double bytes_at_once =
      moving_together(facts, take_turns ? targets : ranks * targets, span / buffers, prices);
  // Measured: reading what is in the cache that all cores share is no faster with several ranks.
  double byte_seconds = first * at_first.byte_seconds / bytes_at_once +
                        (modifies ? 2 : 1) * again / prices.window_bytes_per_second;
  // Measured: what one rank reads for itself alone, it copies from a buffer in its own core's cache. On ext4
  // it read 25e9 B/s so, and on tmpfs 9e9; to map the pages took twice as long on either if they were half
  // holes, and never much less.
  if (!writes && (!facts.collective || ranks <= 1) && prices.from_memory)
    byte_seconds = std::min(byte_seconds, span / prices.window_bytes_per_second);
  byte_seconds = moving_seconds(facts, byte_seconds, span, bytes_at_once, prices);
  if (!writes && !facts.collective && prices.from_memory)
    byte_seconds += from_other_cores(facts, span - bytes) / prices.window_bytes_per_second;
  Cost cost;
  add_agreements(facts, prices, cost);
  cost.add("requests", waits * request_seconds / at_once);
  cost.add("storage", waits * byte_seconds);
  if (const double taken = seconds_of_taken_stripes(facts, buffers); taken > 0)
    cost.add("stripe locks", taken);
  if (writes) cost.add("locks", waits * buffers * prices.lock_seconds / at_once);
  cost.add("copies", copy_seconds(facts, bytes, largest_piece_count(facts), prices));
  return cost;
}

Phrase merit_of_sieve(const Facts& facts, const Layout&) {
  const Digest& digest = facts.digest;
  return {"{} of about {} would need {} requests alone; requests of {} take the holes along",
          {Quantity::pieces(pieces_of(digest)), Quantity::bytes(mean_piece_bytes(digest)),
           Quantity::number(digest.file_pieces), Quantity::bytes(sieve_buffer_bytes(facts))}};
}

}  // namespace concilio::plan
