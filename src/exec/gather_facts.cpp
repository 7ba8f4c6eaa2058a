#include "exec/gather_facts.h"

#include <algorithm>

#include "base/exceptions.h"
#include "exec/memory_watch.h"
#include "plan/facts/digest.h"
#include "plan/facts/spans.h"

namespace concilio::exec {
namespace {

NodeCard card_of(const plan::Histogram& histogram, int64_t held_bytes) {
  NodeCard card;
  card.free_bytes = available_memory(held_bytes);
  for (const plan::Bucket& bucket : histogram.buckets) card.bytes += bucket.bytes;
  const std::vector<pattern::Interval> spans = tight_spans(histogram.buckets, plan::most_node_spans);
  card.spans = static_cast<int64_t>(spans.size());
  std::copy(spans.begin(), spans.end(), card.span);
  return card;
}

}  // namespace

plan::Digest digest_of(const Request& request) {
  plan::Digest digest = plan::digest_of(*request.file, *request.memory, request.position, request.bytes);
  digest.staging_bytes = request.staging_bytes;
  digest.more = request.more;
  return digest;
}

plan::Facts facts_alone(const OpenFile& opened, const Request& request, bool may_rewrite,
                        const plan::Wishes& wishes) {
  plan::Facts facts;
  facts.operation = request.operation;
  facts.collective = false;
  facts.locks_work = request.operation == Operation::read || opened.sieve_writes;
  facts.others_write = request.operation == Operation::write && !may_rewrite;
  facts.atomic = opened.atomic;
  facts.may_map = opened.may_map(request.operation);
  facts.cores_per_node = opened.team.cores();
  facts.digest = digest_of(request);
  facts.storage = opened.facts;
  facts.prices = opened.measured_prices;
  facts.wishes = wishes;
  facts.wishes.memory_limit_bytes -= request.staging_bytes;
  facts.nodes = {{opened.team.local_size(), INT64_MAX, {0}, {}, 0}};
  return facts;
}

plan::Facts facts_of_team(const OpenFile& opened, Operation operation, const plan::Wishes& wishes) {
  plan::Facts facts;
  facts.operation = operation;
  facts.locks_work = opened.locks_work && opened.storage.can_read();
  facts.others_write = operation == Operation::write && !opened.may_rewrite();
  facts.atomic = opened.atomic;
  facts.may_map = opened.may_map(operation);
  facts.cores_per_node = opened.team.cores();
  facts.storage = opened.facts;
  facts.prices = opened.measured_prices;
  facts.wishes = wishes;
  for (const mpi::Team::Node& node : opened.team.nodes())
    facts.nodes.push_back({node.ranks, node.free_bytes, node.candidates, {}, 0});
  for (size_t i = 0; !wishes.node_memory_bytes.empty() && i < facts.nodes.size(); ++i)
    facts.nodes[i].free_bytes = wishes.node_memory_bytes[i % wishes.node_memory_bytes.size()];
  return facts;
}

Status gather_spread(const OpenFile& opened, const Request& request, plan::Facts& facts, int64_t held_bytes,
                     std::vector<NodeCard>& cards) {
  const pattern::Interval range{facts.digest.first, facts.digest.end};
  plan::Histogram mine;
  Status status = without_exceptions([&]() -> Status {
    mine = plan::histogram_of(*request.file, request.position, request.bytes, range);
    return {};
  });
  plan::Histogram all = mine, of_node = mine;
  if (!opened.team.allreduce(all)) return opened.team.failure();
  NodeCard card;
  if (facts.nodes.size() > 1) {
    if (!opened.team.node_allreduce(of_node)) return opened.team.failure();
    const Status made = without_exceptions([&]() -> Status {
      card = card_of(of_node, held_bytes);
      return {};
    });
    if (status) status = made;
    if (!opened.team.gather_nodes(card, cards)) return opened.team.failure();
  }
  const Status taken = without_exceptions([&]() -> Status {
    facts.buckets.assign(all.buckets.begin(), all.buckets.end());
    for (size_t i = 0; i < cards.size(); ++i) {
      if (facts.wishes.node_memory_bytes.empty()) facts.nodes[i].free_bytes = cards[i].free_bytes;
      facts.nodes[i].bytes = cards[i].bytes;
      facts.nodes[i].spans.assign(cards[i].span, cards[i].span + cards[i].spans);
    }
    return {};
  });
  return status ? taken : status;
}

}  // namespace concilio::exec
