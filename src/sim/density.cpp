#include "sim/density.h"

#include <algorithm>

namespace concilio::sim {
namespace {

// Makes rows, still without bytes. Each node gets as many as `rows` allow (one if `by_node`). If there are
// more nodes than rows, several nodes share one.
std::vector<Raster::Row> empty_rows(const std::vector<int64_t>& ranks_of_node, int columns, int rows,
                                    bool by_node) {
  std::vector<Raster::Row> out;
  const auto nodes = static_cast<int64_t>(ranks_of_node.size());
  const int64_t of_node = by_node ? 1 : std::max<int64_t>(1, rows / nodes);
  const int64_t together = std::max<int64_t>(1, (nodes + rows - 1) / rows);
  int64_t rank = 0;
  for (int64_t node = 0; node < nodes; ++node) {
    const int64_t ranks = ranks_of_node[static_cast<size_t>(node)];
    if (node % together != 0) {
      ++out.back().nodes;
      out.back().ranks += ranks;
    } else {
      const int64_t parts = std::max<int64_t>(1, std::min(of_node, ranks));
      for (int64_t part = 0; part < parts; ++part) {
        const int64_t first = ranks * part / parts, end = ranks * (part + 1) / parts;
        out.push_back({rank + first, end - first, static_cast<size_t>(node), 1,
                       std::vector<double>(static_cast<size_t>(columns))});
      }
    }
    rank += ranks;
  }
  return out;
}

// Adds the first `bytes` of the data of an access.
void add(const pattern::Access& file, int64_t bytes, const Raster& raster,
         std::vector<double>& bytes_of_column) {
  int64_t data = 0;
  for (int column = 0; column < raster.columns && data < bytes; ++column) {
    const int64_t next = std::clamp(file.data_before(raster.border(column + 1)), data, bytes);
    bytes_of_column[static_cast<size_t>(column)] += static_cast<double>(next - data);
    data = next;
  }
}

// Adds `bytes`, spread evenly over an interval.
void add(const pattern::Interval& where, double bytes, const Raster& raster,
         std::vector<double>& bytes_of_column) {
  for (int column = 0; column < raster.columns; ++column) {
    const int64_t begin = std::max(where.begin, raster.border(column));
    const int64_t end = std::min(where.end, raster.border(column + 1));
    if (begin < end)
      bytes_of_column[static_cast<size_t>(column)] +=
          bytes * static_cast<double>(end - begin) / static_cast<double>(where.length());
  }
}

}  // namespace

int64_t Raster::border(int column) const {
  return range.begin + static_cast<int64_t>(static_cast<__int128>(range.length()) * column / columns);
}

Raster raster_of(const Pattern& pattern, int call, const Machine& machine, pattern::Interval range,
                 int columns, int rows) {
  Raster raster{range, columns, empty_rows(machine.ranks_of_node, columns, rows, false)};
  for (Raster::Row& row : raster.rows) {
    if (pattern.alike) {
      add(pattern.alike->together(row.first_rank, row.ranks), row.ranks * pattern.alike->rank_bytes(), raster,
          row.bytes_of_column);
      continue;
    }
    for (int64_t rank = row.first_rank; rank < row.first_rank + row.ranks; ++rank) {
      const Request request = pattern.request(static_cast<int>(rank), call);
      add(request.file, request.bytes, raster, row.bytes_of_column);
    }
  }
  return raster;
}

Raster raster_of(const plan::Facts& facts, int columns, int rows) {
  std::vector<int64_t> ranks_of_node;
  for (const plan::NodeFacts& node : facts.nodes) ranks_of_node.push_back(node.ranks);
  Raster raster{
      {facts.digest.first, facts.digest.end}, columns, empty_rows(ranks_of_node, columns, rows, true)};
  for (Raster::Row& row : raster.rows) {
    for (size_t i = row.first_node; i < row.first_node + row.nodes; ++i) {
      const plan::NodeFacts& node = facts.nodes[i];
      int64_t length = 0;
      for (const pattern::Interval& span : node.spans) length += span.length();
      for (const pattern::Interval& span : node.spans) {
        const double share = static_cast<double>(span.length()) / static_cast<double>(length);
        add(span, static_cast<double>(node.bytes) * share, raster, row.bytes_of_column);
      }
    }
  }
  // With one node, or where it does not matter, facts do not tell whose data lie where. Then every rank
  // counts as having the same share of all data.
  const bool known = std::any_of(facts.nodes.begin(), facts.nodes.end(),
                                 [](const plan::NodeFacts& node) { return !node.spans.empty(); });
  if (known) return raster;
  std::vector<plan::Bucket> buckets = facts.buckets;
  if (buckets.empty()) buckets.push_back({facts.digest.first, facts.digest.end, facts.digest.bytes});
  for (Raster::Row& row : raster.rows) {
    const double share =
        static_cast<double>(row.ranks) / static_cast<double>(std::max<int64_t>(1, facts.digest.ranks));
    for (const plan::Bucket& bucket : buckets) {
      if (bucket.bytes > 0)
        add({bucket.first, bucket.end}, static_cast<double>(bucket.bytes) * share, raster,
            row.bytes_of_column);
    }
  }
  return raster;
}

}  // namespace concilio::sim
