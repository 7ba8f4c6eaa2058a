// Mapped files: pieces are copied directly between the program's memory and the file's pages.
#include "plan/choose/methods/mapped.h"

#include <algorithm>

#include "plan/choose/method_table.h"
#include "plan/facts/digest.h"

namespace concilio::plan {
namespace {

// Less than half of the stretches that ranks' bytes lie in, which are given space as a whole.
bool is_sparse(const Digest& digest) {
  return digest.bytes < std::min(digest.span, digest.end - digest.first) / 2;
}

// What it costs to make a page present to a rank that another rank has too. Measured with 2 to 8 ranks on
// 2 cores: to read, several pages come at once, and each rank counts itself in at them one after another; to
// write, each page costs each rank as much as the first.
double shared_page_seconds(Operation operation, double page_seconds) {
  return operation == Operation::read ? 0.4e-6 : page_seconds;
}

}  // namespace

Phrase obstacle_to_mapped(const Facts& facts) {
  using Kind = StorageFacts::Kind;
  if (facts.storage.kind != Kind::local && facts.storage.kind != Kind::memory)
    return {"the file lies on no storage of this node alone"};
  // Measured: a disk's file system records every page that is made writable, which took from half to twenty
  // times as long as writing the page; nothing tells beforehand which.
  if (facts.operation == Operation::write && facts.storage.kind != Kind::memory)
    return {"a page of a disk's file costs more to map for writing than to write"};
  if (facts.nodes.size() > 1) return {"the ranks are on several nodes"};
  if (!facts.may_map) return {"the file cannot be mapped"};
  if (facts.atomic) return {"the file is in atomic mode"};
  if (!facts.digest.monotone) return {"the bytes are not asked for in ascending order"};
  if (facts.operation == Operation::write && is_sparse(facts.digest))
    return {"holes would be given space, more than the bytes need"};
  return {};
}

bool maps_by_piece(double bytes, double pieces, double span) {
  // A piece is a mapping of its own, which costs as much as some fifty pages, and it begins and ends within
  // pages.
  constexpr double page_bytes = map_page_bytes;
  return bytes / page_bytes + pieces * 50 < span / page_bytes;
}

Cost cost_of_mapped(const Facts& facts, const Layout&, const Prices& prices) {
  const Digest& digest = facts.digest;
  const double bytes = static_cast<double>(digest.bytes), pieces = static_cast<double>(digest.file_pieces);
  const double span = static_cast<double>(digest.span);
  const bool by_piece = maps_by_piece(bytes, pieces, span);
  const double stretches = by_piece ? pieces : ranks_at_work(facts);
  const double mapped_bytes = by_piece ? bytes : span;
  const double windows = stretches + mapped_bytes / static_cast<double>(map_window_bytes);
  const double pages = stretches + mapped_bytes / static_cast<double>(map_page_bytes);
  // The first rank that writes to a page makes space for it in the file.
  const double distinct = std::min(
      pages, 1 + static_cast<double>(digest.end - digest.first) / static_cast<double>(map_page_bytes));
  const double page_seconds =
      facts.operation == Operation::read ? prices.map_read_page_seconds : prices.map_write_page_seconds;
  const double pages_seconds =
      distinct * page_seconds + (pages - distinct) * shared_page_seconds(facts.operation, page_seconds);
  Cost cost;
  add_agreements(facts, prices, cost);
  cost.add("mappings", windows * prices.map_seconds / cores_at_work(facts));
  cost.add("pages", pages_seconds / cores_at_work(facts));
  cost.add("copies", copy_seconds(facts, bytes, largest_piece_count(facts), prices));
  return cost;
}

Phrase merit_of_mapped(const Facts& facts, const Layout&) {
  const Digest& digest = facts.digest;
  return {facts.operation == Operation::read
              ? "{} of about {} are copied straight from the file's pages in this node's memory"
              : "{} of about {} are copied straight to the file's pages in this node's memory",
          {Quantity::pieces(pieces_of(digest)), Quantity::bytes(mean_piece_bytes(digest))}};
}

}  // namespace concilio::plan
