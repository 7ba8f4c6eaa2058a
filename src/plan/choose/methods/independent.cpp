// Every rank's bytes are one stretch of the file: a request each.
#include "plan/choose/methods/independent.h"

#include <algorithm>
#include <limits>

#include "plan/choose/method_table.h"
#include "plan/facts/digest.h"
#include "plan/facts/prices.h"
#include "plan/layout/footprint.h"

namespace concilio::plan {
namespace {

// How many bytes a rank has to write at least for it to be worth while to copy them first.
int64_t least_bytes_to_copy(StorageFacts::Kind kind) {
  switch (kind) {
    case StorageFacts::Kind::memory:
      return 4 << 20;
    case StorageFacts::Kind::local:
      return 16 << 20;
    default:
      return std::numeric_limits<int64_t>::max();
  }
}

// The cost where all ranks copy first: they write by turns from a cache, and copy while they wait.
Cost cost_of_turns(const Facts& facts, const Prices& prices) {
  const auto bytes = static_cast<double>(facts.digest.bytes);
  const auto buffer_bytes = static_cast<double>(sieve_buffer_bytes(facts));
  const double buffers = std::max(ranks_at_work(facts), bytes / buffer_bytes);
  const FlushCost written = transferred(buffers, bytes, buffers, prices.write);
  const double at_once = std::max(1.0, moving_together(facts, ranks_at_work(facts), buffer_bytes, prices));
  Cost cost;
  add_agreements(facts, prices, cost);
  cost.add("requests", written.request_seconds / at_once);
  cost.add("storage", written.byte_seconds / at_once);
  return cost;
}

}  // namespace

bool one_request_each(const Digest& digest) {
  return digest.max_rank_file_pieces <= 1 && digest.memory_pieces <= digest.ranks_with_data;
}

bool copies_first(const Facts& facts) {
  const Digest& digest = facts.digest;
  return facts.operation == Operation::write && prices_of(facts).from_memory && facts.nodes.size() == 1 &&
         digest.ranks_with_data > 1 && digest.staging_bytes == 0 && one_request_each(digest) &&
         digest.bytes / digest.ranks_with_data >= least_bytes_to_copy(facts.storage.kind);
}

Phrase obstacle_to_independent(const Facts& facts) {
  if (facts.digest.max_rank_file_pieces <= 1) return {};
  return {"a rank's bytes lie in up to {} pieces of the file",
          {Quantity::number(facts.digest.max_rank_file_pieces)}};
}

Cost cost_of_independent(const Facts& facts, const Layout&, const Prices& prices) {
  const Cost direct = cost_of_pieces(facts, static_cast<double>(facts.digest.ranks_with_data), 1, prices);
  if (!copies_first(facts)) return direct;
  // Not all prices tell what comes from a cache from what does not.
  const Cost by_turns = cost_of_turns(facts, prices);
  return by_turns.seconds() < direct.seconds() ? by_turns : direct;
}

Phrase merit_of_independent(const Facts& facts, const Layout&) {
  return {
      copies_first(facts)
          ? "each rank's bytes are one stretch of the file, and copied to its cache before its turn to write"
          : "each rank's bytes are one stretch of the file"};
}

}  // namespace concilio::plan
