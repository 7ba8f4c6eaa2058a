// Facts of typical calls, for the tests of planning.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "plan/facts/facts.h"
#include "plan/facts/spans.h"
#include "plan/layout/realms.h"

namespace concilio::test {

// The number of random cases that is sufficient. With sanitizers each takes many times as long, so there are
// `divisor` times fewer.
inline constexpr int cases(int count, [[maybe_unused]] int divisor = 25) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return count / divisor;
#else
  return count;
#endif
}

inline std::vector<plan::NodeFacts> make_nodes(int nodes, int ranks_per_node) {
  std::vector<plan::NodeFacts> out;
  for (int node = 0; node < nodes; ++node) {
    plan::NodeFacts facts;
    facts.ranks = ranks_per_node;
    for (int i = 0; i < ranks_per_node; ++i) facts.candidates.push_back(node * ranks_per_node + i);
    out.push_back(facts);
  }
  return out;
}

// `ranks` ranks on one node of 2 cores with local storage. Each has bytes_a_rank in blocks that alternate.
inline plan::Facts interleaved(Operation operation, int ranks, int64_t block_bytes,
                               int64_t bytes_a_rank = 32 << 20) {
  plan::Facts facts;
  facts.operation = operation;
  facts.cores_per_node = 2;
  facts.nodes = make_nodes(1, ranks);
  facts.storage.kind = plan::StorageFacts::Kind::local;
  const int64_t blocks = bytes_a_rank / block_bytes;
  plan::Digest& digest = facts.digest;
  digest.end = ranks * bytes_a_rank;
  digest.bytes = ranks * bytes_a_rank;
  digest.file_pieces = ranks * blocks;
  digest.memory_pieces = ranks;
  digest.span = ranks * (((blocks - 1) * ranks + 1) * block_bytes);
  digest.ranks = digest.ranks_with_data = ranks;
  digest.max_rank_bytes = bytes_a_rank;
  digest.max_rank_file_pieces = blocks;
  digest.granule = block_bytes;
  return facts;
}

// Each rank has one stretch, one after another.
inline plan::Facts contiguous(Operation operation, int ranks, int64_t bytes_a_rank = 32 << 20) {
  return interleaved(operation, ranks, bytes_a_rank, bytes_a_rank);
}

// Any facts that are consistent in themselves. Every wish and limit is small, large or absent.
inline plan::Facts random_facts(std::mt19937_64& random) {
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  const auto magnitude = [&](int bits) { return below(int64_t{1} << (1 + below(bits))); };
  plan::Facts facts = interleaved(below(2) ? Operation::read : Operation::write, 1, 64, 64);
  facts.nodes = make_nodes(static_cast<int>(1 + below(5)), static_cast<int>(1 + below(6)));
  facts.cores_per_node = 1 + below(8);
  plan::Digest& digest = facts.digest;
  digest.ranks = digest.ranks_with_data = static_cast<int64_t>(facts.nodes.size()) * facts.nodes[0].ranks;
  digest.first = below(2) ? magnitude(40) : 0;
  digest.end = digest.first + 1 + magnitude(32);
  const int64_t range_bytes = digest.end - digest.first;
  digest.bytes = 1 + below(2 * range_bytes);
  digest.granule = int64_t{1} << below(8);
  digest.anchor = below(digest.granule);
  digest.file_pieces = digest.ranks + below(digest.bytes);
  digest.memory_pieces = digest.ranks + below(digest.bytes);
  digest.max_rank_file_pieces = 1 + below(digest.file_pieces);
  digest.max_rank_bytes = digest.bytes;
  digest.span = digest.ranks * range_bytes;
  if (below(2)) {
    const int64_t density = 1 + below(100);
    for (int i = 0; i < plan::bucket_count; ++i) {
      const int64_t begin = plan::bucket_border(digest.first, digest.end, i);
      const int64_t end = plan::bucket_border(digest.first, digest.end, i + 1);
      plan::Bucket bucket;
      const bool edge = i == plan::bucket_count - 1;  // so that there is one
      if (end > begin && (edge || below(100) < density)) {
        bucket.first = i == 0 || below(2) ? begin : begin + below(end - begin);
        bucket.end =
            i == plan::bucket_count - 1 || below(2) ? end : bucket.first + 1 + below(end - bucket.first);
        bucket.bytes = bucket.end - bucket.first;
      }
      facts.buckets.push_back(bucket);
    }
    digest.first = INT64_MAX;
    digest.end = INT64_MIN;
    for (const plan::Bucket& bucket : facts.buckets) {
      digest.first = std::min(digest.first, bucket.first);
      digest.end = std::max(digest.end, bucket.end);
    }
  }
  if (below(3) == 0) facts.storage.stripe_bytes = int64_t{1} << below(24);
  if (below(4) == 0) facts.wishes.alignment_bytes = 1 + magnitude(24);
  if (below(3) == 0) facts.wishes.aggregators = 1 + below(12);
  if (below(4) == 0) facts.wishes.aggregators_per_node = 1 + below(4);
  // So few windows that a test can visit them all.
  if (below(3) == 0) facts.wishes.window_bytes = 1 + range_bytes / 500 + magnitude(22);
  if (below(3) == 0) facts.wishes.memory_limit_bytes = 1 + magnitude(24);
  if (below(5) == 0) {
    for (plan::NodeFacts& node : facts.nodes) node.free_bytes = magnitude(30);
  }
  return facts;
}

// The bytes of the file that the ranks of each node ask for: ascending, disjoint intervals.
using NodeData = std::vector<std::vector<pattern::Interval>>;

// Adds an interval to a histogram of [first, end). Every `sparse`-th byte of the interval is asked for.
inline void count_in(std::vector<plan::Bucket>& buckets, pattern::Interval range, pattern::Interval data,
                     int64_t sparse) {
  const auto of = [&](int64_t offset) {
    return static_cast<int>(static_cast<__int128>(offset - range.begin) * plan::bucket_count /
                            range.length());
  };
  // If the range has fewer bytes than there are buckets, most buckets are empty.
  const int off = 1 + static_cast<int>(plan::bucket_count / range.length());
  const int last = std::min(plan::bucket_count - 1, of(data.end - 1) + off);
  for (int i = std::max(0, of(data.begin) - off); i <= last; ++i) {
    const int64_t begin = std::max(data.begin, plan::bucket_border(range.begin, range.end, i));
    const int64_t end = std::min(data.end, plan::bucket_border(range.begin, range.end, i + 1));
    if (begin >= end) continue;
    plan::Bucket& bucket = buckets[static_cast<size_t>(i)];
    bucket = combine(bucket, {begin, end, std::max<int64_t>(1, (end - begin) / sparse)});
  }
}

// Facts of a collective call whose nodes ask for these bytes. Digest, histogram and the nodes' own facts
// agree, as they do when they are gathered. facts.nodes and `data` have the same length.
inline void gather(plan::Facts& facts, const NodeData& data, int64_t sparse = 1) {
  plan::Digest& digest = facts.digest;
  digest.first = INT64_MAX;
  digest.end = INT64_MIN;
  digest.ranks = digest.ranks_with_data = digest.bytes = digest.file_pieces = 0;
  for (const auto& of_node : data) {
    if (of_node.empty()) continue;
    digest.first = std::min(digest.first, of_node.front().begin);
    digest.end = std::max(digest.end, of_node.back().end);
    digest.file_pieces += static_cast<int64_t>(of_node.size()) * sparse;
  }
  facts.buckets.assign(plan::bucket_count, {});
  std::vector<plan::Bucket> of_node;
  for (size_t node = 0; node < data.size(); ++node) {
    plan::NodeFacts& its = facts.nodes[node];
    of_node.assign(plan::bucket_count, {});
    for (const pattern::Interval& interval : data[node])
      count_in(of_node, {digest.first, digest.end}, interval, sparse);
    its.bytes = 0;
    for (size_t i = 0; i < of_node.size(); ++i) {
      facts.buckets[i] = combine(facts.buckets[i], of_node[i]);
      its.bytes += of_node[i].bytes;
    }
    its.spans = tight_spans(of_node, plan::most_node_spans);
    digest.bytes += its.bytes;
    digest.ranks += its.ranks;
    if (its.bytes > 0) digest.ranks_with_data += its.ranks;
  }
  digest.max_rank_bytes = digest.bytes;
  digest.max_rank_file_pieces = digest.file_pieces;
  digest.memory_pieces = digest.ranks;
  digest.span = digest.ranks * (digest.end - digest.first);
}

enum class Layout { serial, interleaved, variables, random };

// The bytes that `nodes` nodes ask for in [first, first + nodes * bytes). Each node has its share of `blocks`
// variables, or of blocks that alternate. There is a hole of `gap` bytes after every node's share.
inline NodeData data_laid_out(Layout layout, int64_t nodes, int64_t first, int64_t bytes, int64_t blocks,
                              int64_t gap = 0) {
  NodeData data(static_cast<size_t>(nodes));
  if (layout == Layout::serial) blocks = 1;
  const int64_t share = std::max<int64_t>(1, bytes / blocks);
  for (int64_t block = 0; block < blocks; ++block) {
    for (int64_t node = 0; node < nodes; ++node) {
      const int64_t begin = first + (block * nodes + node) * (share + gap);
      data[static_cast<size_t>(node)].push_back({begin, begin + share});
    }
  }
  for (auto& of_node : data) of_node = plan::united(std::move(of_node));
  return data;
}

struct RandomCall {
  plan::Facts facts;
  NodeData data;
};

inline NodeData random_data(std::mt19937_64& random, int64_t nodes) {
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  const auto magnitude = [&](int bits) { return below(int64_t{1} << (1 + below(bits))); };
  const auto layout = static_cast<Layout>(below(4));
  const int64_t first = below(2) ? magnitude(40) : 0, bytes = 1 + magnitude(32);
  const int64_t gap = below(3) ? 0 : magnitude(14);
  NodeData data = data_laid_out(layout, nodes, first, bytes, 1 + below(12), gap);
  if (layout == Layout::random) {
    for (auto& of_node : data) {
      of_node.clear();
      for (int64_t n = below(20); n > 0; --n) {
        const int64_t begin = first + below(nodes * bytes);
        of_node.push_back({begin, begin + 1 + below(bytes)});
      }
      of_node = plan::united(std::move(of_node));
    }
  }
  for (auto& of_node : data) {
    if (below(8) == 0) of_node.clear();
  }
  if (std::all_of(data.begin(), data.end(), [](const auto& of_node) { return of_node.empty(); }))
    data.front() = {{first, first + bytes}};
  return data;
}

// Any collective call, with the facts that would be gathered for it, and every wish of the planning of
// realms.
inline RandomCall random_call(std::mt19937_64& random) {
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  const auto magnitude = [&](int bits) { return below(int64_t{1} << (1 + below(bits))); };
  RandomCall call{random_facts(random), {}};
  plan::Facts& facts = call.facts;
  facts.nodes = make_nodes(static_cast<int>(1 + below(9)), static_cast<int>(1 + below(6)));
  call.data = random_data(random, static_cast<int64_t>(facts.nodes.size()));
  gather(facts, call.data, below(2) ? 1 : 1 + below(64));
  // If two-phase is asked for whatever the bytes are, their distribution is not gathered.
  const bool known = below(8) > 0;
  if (!known) facts.buckets.clear();
  for (plan::NodeFacts& node : facts.nodes) {
    if (!known || facts.nodes.size() == 1) node.spans.clear();
    if (below(2)) node.free_bytes = magnitude(36);
  }
  plan::Wishes& wishes = facts.wishes;
  wishes.forced_method = static_cast<int32_t>(plan::Method::two_phase);
  wishes.realms =
      static_cast<plan::RealmPolicy>(below(static_cast<int64_t>(plan::realm_policy_rows().size()) + 1));
  wishes.placement = static_cast<plan::Placement>(below(3));
  wishes.groups = below(4) > 0;
  wishes.group_bytes = 1 + magnitude(34);
  wishes.domain_bytes = 1 + magnitude(30);
  wishes.memory_min_bytes = below(4) ? magnitude(30) : 0;
  if (below(5) == 0) wishes.realm_block_bytes = 1 + magnitude(24);
  if (below(3) == 0) wishes.combine_nodes = 1 + below(5);
  if (below(3) == 0) facts.storage.stripe_targets = 1 + below(8);
  wishes.pipelining = below(4) > 0;
  return call;
}

}  // namespace concilio::test
