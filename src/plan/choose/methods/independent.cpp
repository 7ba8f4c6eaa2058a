// Every rank's bytes are one stretch of the file: a request each.
#include "plan/choose/methods/independent.h"

#include "plan/choose/method_table.h"
#include "plan/facts/digest.h"
#include "plan/facts/prices.h"

namespace concilio::plan {
namespace {

// Whether several ranks of one node have stretches of so many bytes, each in memory and in the file, of a
// file in the page cache.
bool have_stretches(const Facts& facts, int64_t bytes) {
  const Digest& digest = facts.digest;
  return prices_of(facts).from_memory && facts.nodes.size() == 1 && digest.ranks_with_data > 1 &&
         digest.bytes / digest.ranks_with_data >= bytes && digest.staging_bytes == 0 &&
         one_request_each(digest);
}

}  // namespace

bool one_request_each(const Digest& digest) {
  return digest.max_rank_file_pieces <= 1 && digest.memory_pieces <= digest.ranks_with_data;
}

bool copies_first(const Facts& facts) {
  constexpr int64_t long_bytes = 16 << 20;
  return facts.operation == Operation::write && facts.storage.kind == StorageFacts::Kind::local &&
         have_stretches(facts, long_bytes);
}

bool may_gain_by_copying(const Facts& facts) {
  constexpr int64_t long_bytes = 4 << 20;
  return have_stretches(facts, long_bytes);
}

Phrase obstacle_to_independent(const Facts& facts) {
  if (facts.digest.max_rank_file_pieces <= 1) return {};
  return {"a rank's bytes lie in up to {} pieces of the file",
          {Quantity::number(facts.digest.max_rank_file_pieces)}};
}

Cost cost_of_independent(const Facts& facts, const Layout&, const Prices& prices) {
  return cost_of_pieces(facts, static_cast<double>(facts.digest.ranks_with_data), 1, prices);
}

Phrase merit_of_independent(const Facts& facts, const Layout&) {
  return {
      copies_first(facts)
          ? "each rank's bytes are one stretch of the file, and copied to its cache before its turn to write"
          : "each rank's bytes are one stretch of the file"};
}

}  // namespace concilio::plan
