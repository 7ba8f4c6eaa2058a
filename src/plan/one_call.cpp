#include "plan/one_call.h"

#include <algorithm>
#include <cstdint>

#include "base/checked.h"
#include "plan/choose/cost.h"
#include "plan/plan.h"

namespace concilio::plan {
namespace {

// One call that asks for all the bytes. What is not known of it is as it costs most: every rank's bytes lie
// all over the range.
Digest digest_of_all(const LoneCalls& calls, int64_t ranks) {
  Digest digest;
  digest.first = calls.range.begin;
  digest.end = calls.range.end;
  digest.bytes = calls.all.bytes;
  digest.file_pieces = digest.memory_pieces = calls.all.pieces;
  digest.ranks = ranks;
  digest.ranks_with_data = calls.ranks;
  digest.span = checked_multiply(calls.ranks, calls.range.length()).value_or(INT64_MAX);
  digest.max_rank_bytes = calls.most.bytes;
  digest.max_rank_file_pieces = calls.most.pieces;
  digest.granule = 1;
  return digest;
}

// Ranks that make their calls at the same time do so as fast as storage and cores serve them.
double lone_seconds_of(const Facts& facts, const LoneCalls& calls) {
  const double request_bytes =
      static_cast<double>(calls.all.bytes) / static_cast<double>(std::max<int64_t>(1, calls.all.pieces));
  const double at_once = together(facts, static_cast<double>(calls.ranks), request_bytes, prices_of(facts));
  return calls.seconds_of_call *
         std::max(static_cast<double>(calls.most.calls), static_cast<double>(calls.all.calls) / at_once);
}

}  // namespace

std::optional<OneCall> as_one_call(Facts facts, const LoneCalls& calls) {
  if (calls.all.bytes <= 0 || calls.ranks <= 0) return {};
  // Several ranks may read a byte in one call, and only one may write it.
  const bool writes = facts.operation == Operation::write;
  if ((writes ? calls.all.bytes : calls.most.bytes) > calls.range.length()) return {};
  int64_t ranks = 0;
  for (const NodeFacts& node : facts.nodes) ranks += node.ranks;
  facts.collective = true;
  facts.digest = digest_of_all(calls, ranks);
  const Plan made = plan(facts);
  return OneCall{made.method, made.candidates[made.method].predicted_seconds, lone_seconds_of(facts, calls)};
}

double seconds_of_stretch(const Facts& facts, int64_t bytes) {
  Facts alone = facts;
  alone.collective = false;
  alone.digest = {};
  alone.digest.bytes = alone.digest.max_rank_bytes = bytes;
  alone.digest.file_pieces = alone.digest.memory_pieces = alone.digest.max_rank_file_pieces = 1;
  alone.digest.ranks = alone.digest.ranks_with_data = 1;
  return cost_of_pieces(alone, 1, 1, prices_of(alone)).seconds();
}

}  // namespace concilio::plan
