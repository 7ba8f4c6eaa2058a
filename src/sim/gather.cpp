#include "sim/gather.h"

#include <numeric>

#include "plan/facts/digest.h"
#include "plan/facts/spans.h"
#include "plan/plan.h"

namespace concilio::sim {
namespace {

// Calls visit(node, rank, request) for every rank.
template <typename Visit>
void for_each_rank(const Pattern& pattern, int call, const Machine& machine, Visit&& visit) {
  int rank = 0;
  for (size_t node = 0; node < machine.ranks_of_node.size(); ++node) {
    for (int64_t i = 0; i < machine.ranks_of_node[node]; ++i, ++rank)
      visit(node, rank, pattern.request(rank, call));
  }
}

std::vector<plan::NodeFacts> nodes_of(const Machine& machine) {
  std::vector<plan::NodeFacts> nodes;
  int rank = 0;
  for (const int64_t ranks : machine.ranks_of_node) {
    plan::NodeFacts node;
    node.ranks = ranks;
    const std::vector<int64_t>& memory = machine.node_memory;
    if (!memory.empty()) node.free_bytes = memory[nodes.size() % memory.size()];
    for (int i = 0; i < std::min<int64_t>(ranks, plan::most_candidates); ++i)
      node.candidates.push_back(rank + i);
    rank += static_cast<int>(ranks);
    nodes.push_back(std::move(node));
  }
  return nodes;
}

// What a node tells the others of where its bytes lie.
void tell_of(const plan::Histogram& of_node, plan::NodeFacts& node) {
  for (const plan::Bucket& bucket : of_node.buckets) node.bytes += bucket.bytes;
  node.spans = tight_spans(of_node.buckets, plan::most_node_spans);
}

void take_buckets(const plan::Histogram& all, plan::Facts& facts) {
  facts.buckets.assign(all.buckets.begin(), all.buckets.end());
}

// Gathers the histogram buckets of all ranks, and for each node where its bytes lie.
void gather_buckets(const Pattern& pattern, int call, const Machine& machine, plan::Facts& facts) {
  const pattern::Interval range{facts.digest.first, facts.digest.end};
  plan::Histogram all, of_node;
  size_t current = 0;
  const auto finish_node = [&] {
    all = combine(all, of_node);
    if (facts.nodes.size() > 1) tell_of(of_node, facts.nodes[current]);
  };
  for_each_rank(pattern, call, machine, [&](size_t node, int, const Request& request) {
    if (node != current) {
      finish_node();
      of_node = {};
      current = node;
    }
    of_node = combine(of_node, plan::histogram_of(request.file, 0, request.bytes, range));
  });
  finish_node();
  take_buckets(all, facts);
}

// The same of ranks that ask alike: those of a node are taken together, and so are all.
void gather_buckets(const Alike& alike, plan::Facts& facts) {
  const pattern::Interval range{facts.digest.first, facts.digest.end};
  const auto histogram_of = [&](int64_t first, int64_t ranks) {
    return plan::histogram_of(alike.together(first, ranks), 0, ranks * alike.rank_bytes(), range);
  };
  take_buckets(histogram_of(0, facts.digest.ranks), facts);
  if (facts.nodes.size() < 2) return;
  int64_t first = 0;
  for (plan::NodeFacts& node : facts.nodes) {
    tell_of(histogram_of(first, node.ranks), node);
    first += node.ranks;
  }
}

plan::Digest gather_digest(const Pattern& pattern, int call, const Machine& machine) {
  const auto digest_of = [](const Request& request) {
    return plan::digest_of(request.file, request.memory, 0, request.bytes);
  };
  if (pattern.alike) {
    const std::vector<int64_t>& ranks = machine.ranks_of_node;
    const int64_t count = std::accumulate(ranks.begin(), ranks.end(), int64_t{0});
    return pattern.alike->digest_of_all(digest_of(pattern.request(0, call)), count);
  }
  plan::Digest all;
  bool first = true;
  for_each_rank(pattern, call, machine, [&](size_t, int, const Request& request) {
    all = first ? digest_of(request) : combine(all, digest_of(request));
    first = false;
  });
  return all;
}

}  // namespace

plan::Facts gather(const Pattern& pattern, int call, const Machine& machine, Operation operation,
                   const plan::Wishes& wishes) {
  plan::Facts facts;
  facts.operation = operation;
  facts.cores_per_node = machine.cores_per_node;
  facts.storage = machine.storage;
  facts.prices = machine.prices;
  facts.wishes = wishes;
  facts.nodes = nodes_of(machine);
  using Kind = plan::StorageFacts::Kind;
  // What is written to a device without a page cache has no pages to map.
  facts.may_map = (machine.storage.kind == Kind::local || machine.storage.kind == Kind::memory) &&
                  machine.storage.uncached == 0;
  facts.digest = gather_digest(pattern, call, machine);
  if (needs_buckets(facts))
    pattern.alike ? gather_buckets(*pattern.alike, facts) : gather_buckets(pattern, call, machine, facts);
  return facts;
}

}  // namespace concilio::sim
