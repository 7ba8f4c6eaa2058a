// Finds where the ranks' parts lie when a call gives their extents and a pattern, but no offsets.
#include <fmt/format.h>

#include <algorithm>

#include "scorpio/files/dataset.h"
#include "scorpio/ranks/small_collectives.h"

namespace concilio::scorpio {
namespace {

Error misfit(int rank, const std::string& why) {
  return {ErrorKind::argument, 0, fmt::format("the ranks' parts do not fit: rank {}'s {}", rank, why)};
}

// Places the parts one after another along the first dimension, in the order of ranks.
Result<Box> place_rows(const Layout& layout, const std::vector<int64_t>& extents,
                       const std::vector<int64_t>& local) {
  // No rank adds more rows than the dataset has, so that the sums tell where parts leave the dataset.
  const auto below = sum_below(layout.global, std::min(local[0], extents[0]));
  if (!below) return below.error();
  const int64_t before = *below;
  Box block{std::vector<int64_t>(extents.size()), local};
  block.start[0] = before;
  for (size_t d = 1; d < extents.size(); ++d) {
    if (local[0] > 0 && local[d] != extents[d])
      return misfit(layout.rank, fmt::format("extent {} in dimension {} is not the dataset's, {}", local[d],
                                             d, extents[d]));
  }
  if (before < 0 || before > extents[0] || local[0] > extents[0] - before)
    return misfit(layout.rank,
                  fmt::format("{} rows begin at row {} of a dataset of {}", local[0], before, extents[0]));
  return block;
}

// Places the blocks of all ranks one after another along the last dimension and, where that is full, along
// the one before it.
Result<Box> place_tiles(const Layout& layout, const std::vector<int64_t>& extents,
                        const std::vector<int64_t>& local) {
  const size_t ndims = extents.size();
  const auto all = gathered(layout.global, local);
  if (!all) return all.error();
  Box out{std::vector<int64_t>(ndims), local};
  // The row of tiles that is being placed has the extents `shelf`.
  std::vector<int64_t> at(ndims, 0), shelf(ndims, 0);
  for (int rank = 0; rank < layout.ranks; ++rank) {
    const int64_t* tile = all->data() + static_cast<size_t>(rank) * ndims;
    if (std::any_of(tile, tile + ndims, [](int64_t n) { return n == 0; })) continue;
    for (size_t d = 0; d < ndims; ++d) {
      // Tiles that lie side by side along later dimensions must have the extent of the first of them.
      bool first = true;
      for (size_t later = d + 1; later < ndims; ++later) first = first && at[later] == 0;
      if (first) {
        shelf[d] = tile[d];
      } else if (shelf[d] != tile[d]) {
        return misfit(rank, fmt::format("extent {} in dimension {} differs from its neighbours', {}", tile[d],
                                        d, shelf[d]));
      }
      if (tile[d] > extents[d] - at[d])
        return misfit(rank, fmt::format("tile leaves the dataset in dimension {}: {} at {} of {}", d, tile[d],
                                        at[d], extents[d]));
    }
    if (rank == layout.rank) out.start = at;
    for (size_t d = ndims; d-- > 0;) {
      at[d] += shelf[d];
      if (at[d] < extents[d] || d == 0) break;
      at[d] = 0;
    }
  }
  return out;
}

Result<Box> placed(const Layout& layout, iopattern_t pattern, const std::vector<int64_t>& extents,
                   const std::vector<int64_t>& local) {
  switch (pattern) {
    case SCORPIO_UNIFORM_CONTIGUOUS_READ:
    case SCORPIO_UNIFORM_CONTIGUOUS_WRITE:
    case SCORPIO_NONUNIFORM_CONTIGUOUS_READ:
    case SCORPIO_NONUNIFORM_CONTIGUOUS_WRITE:
      return place_rows(layout, extents, local);
    case SCORPIO_NONCONTIGUOUS_READ:
    case SCORPIO_NONCONTIGUOUS_WRITE:
      return place_tiles(layout, extents, local);
    case SCORPIO_EVERYONE_ENTIRE_DATASET_READ:
      return Box::whole(extents);
  }
  return Error{ErrorKind::argument, 0, fmt::format("{} is no iopattern_t", static_cast<int>(pattern))};
}

}  // namespace

Result<Box> place(const File& file, iopattern_t pattern, const std::vector<int64_t>& extents,
                  const std::vector<int64_t>& local) {
  auto box = placed(*file.layout, pattern, extents, local);
  if (Status status = agree(file.layout->global, box ? Status() : Status(box.error())); !status)
    return status.error();
  return box;
}

}  // namespace concilio::scorpio
