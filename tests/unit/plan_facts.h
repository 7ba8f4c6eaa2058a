// Facts of typical calls, for the tests of planning.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "plan/facts.h"

namespace concilio::test {

inline std::vector<NodeFacts> make_nodes(int nodes, int ranks_per_node) {
  std::vector<NodeFacts> out;
  for (int node = 0; node < nodes; ++node) {
    NodeFacts facts;
    facts.ranks = ranks_per_node;
    for (int i = 0; i < ranks_per_node; ++i) facts.candidates.push_back(node * ranks_per_node + i);
    out.push_back(facts);
  }
  return out;
}

// `ranks` ranks on one node of 2 cores with local storage, each with bytes_a_rank in blocks dealt out in
// turn.
inline Facts interleaved(Operation operation, int ranks, int64_t block_bytes,
                         int64_t bytes_a_rank = 32 << 20) {
  Facts facts;
  facts.operation = operation;
  facts.cores_per_node = 2;
  facts.nodes = make_nodes(1, ranks);
  facts.storage.kind = StorageFacts::Kind::local;
  const int64_t blocks = bytes_a_rank / block_bytes;
  Digest& digest = facts.digest;
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

// Each rank one stretch, one after another.
inline Facts contiguous(Operation operation, int ranks, int64_t bytes_a_rank = 32 << 20) {
  return interleaved(operation, ranks, bytes_a_rank, bytes_a_rank);
}

// Facts of any kind, consistent in themselves: every wish and limit small, large or absent.
inline Facts random_facts(std::mt19937_64& random) {
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  const auto magnitude = [&](int bits) { return below(int64_t{1} << (1 + below(bits))); };
  Facts facts = interleaved(below(2) ? Operation::read : Operation::write, 1, 64, 64);
  facts.nodes = make_nodes(static_cast<int>(1 + below(5)), static_cast<int>(1 + below(6)));
  facts.cores_per_node = 1 + below(8);
  Digest& digest = facts.digest;
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
    for (int i = 0; i < bucket_count; ++i) {
      const int64_t begin = bucket_border(digest.first, digest.end, i);
      const int64_t end = bucket_border(digest.first, digest.end, i + 1);
      Bucket bucket;
      const bool edge = i == bucket_count - 1;  // so that there is one
      if (end > begin && (edge || below(100) < density)) {
        bucket.first = i == 0 || below(2) ? begin : begin + below(end - begin);
        bucket.end = i == bucket_count - 1 || below(2) ? end : bucket.first + 1 + below(end - bucket.first);
        bucket.bytes = bucket.end - bucket.first;
      }
      facts.buckets.push_back(bucket);
    }
    digest.first = INT64_MAX;
    digest.end = INT64_MIN;
    for (const Bucket& bucket : facts.buckets) {
      digest.first = std::min(digest.first, bucket.first);
      digest.end = std::max(digest.end, bucket.end);
    }
  }
  if (below(3) == 0) facts.storage.stripe_bytes = int64_t{1} << below(24);
  if (below(4) == 0) facts.wishes.alignment_bytes = 1 + magnitude(24);
  if (below(3) == 0) facts.wishes.aggregators = 1 + below(12);
  if (below(4) == 0) facts.wishes.aggregators_per_node = 1 + below(4);
  // Few enough windows to walk through them all.
  if (below(3) == 0) facts.wishes.window_bytes = 1 + range_bytes / 500 + magnitude(22);
  if (below(3) == 0) facts.wishes.memory_limit_bytes = 1 + magnitude(24);
  if (below(5) == 0) {
    for (NodeFacts& node : facts.nodes) node.free_bytes = magnitude(30);
  }
  return facts;
}

}  // namespace concilio::test
