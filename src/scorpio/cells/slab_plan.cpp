#include "scorpio/cells/slab_plan.h"

#include <algorithm>

#include "scorpio/ranks/agreement.h"
#include "scorpio/ranks/small_collectives.h"

namespace concilio::scorpio {
namespace {

// No message and no call of HDF5 moves more than this.
constexpr int64_t most_bytes_a_slab = int64_t{1} << 30;

// Where data are contiguous in the file, larger requests gain nothing, and lose the processor's caches. Where
// they are scattered, MPI-IO combines them the better the more of them a request has.
constexpr int64_t small_slab_bytes = int64_t{2} << 20;

// HDF5 takes long to unite more boxes than this in one selection.
constexpr size_t most_boxes_a_selection = 64;

std::vector<int64_t> numbers_of(const Box& box) {
  std::vector<int64_t> numbers = box.start;
  numbers.insert(numbers.end(), box.count.begin(), box.count.end());
  return numbers;
}

std::vector<int64_t> numbers_of(const std::vector<Box>& boxes) {
  std::vector<int64_t> numbers;
  for (const Box& box : boxes) {
    const std::vector<int64_t> more = numbers_of(box);
    numbers.insert(numbers.end(), more.begin(), more.end());
  }
  return numbers;
}

std::vector<Box> boxes_of(const std::vector<int64_t>& numbers, size_t ndims) {
  std::vector<Box> boxes;
  for (size_t at = 0; at < numbers.size(); at += 2 * ndims) {
    const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(at);
    const auto middle = begin + static_cast<std::ptrdiff_t>(ndims);
    boxes.push_back({{begin, middle}, {middle, middle + static_cast<std::ptrdiff_t>(ndims)}});
  }
  return boxes;
}

// Returns every rank's box.
Result<std::vector<Box>> gather_boxes(MPI_Comm comm, const Box& mine) {
  const auto all = gathered(comm, numbers_of(mine));
  if (!all) return all.error();
  return boxes_of(*all, mine.ndims());
}

// Returns every rank's boxes, in one list for each rank.
Result<std::vector<std::vector<Box>>> gather_lists(MPI_Comm comm, const std::vector<Box>& mine,
                                                   size_t ndims) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  const std::vector<int64_t> numbers = numbers_of(mine);
  const int count = static_cast<int>(numbers.size());
  std::vector<int> counts(static_cast<size_t>(ranks)), places(static_cast<size_t>(ranks));
  MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm);
  int total = 0;
  for (size_t rank = 0; rank < counts.size(); ++rank) {
    places[rank] = total;
    total += counts[rank];
  }
  std::vector<int64_t> all(static_cast<size_t>(total));
  if (Status status = mpi::checked_mpi(MPI_Allgatherv(numbers.data(), count, MPI_INT64_T, all.data(),
                                                      counts.data(), places.data(), MPI_INT64_T, comm),
                                       "MPI_Allgatherv");
      !status)
    return status.error();
  std::vector<std::vector<Box>> lists;
  for (size_t rank = 0; rank < counts.size(); ++rank) {
    const auto begin = all.begin() + places[rank];
    lists.push_back(boxes_of({begin, begin + counts[rank]}, ndims));
  }
  return lists;
}

// Called on roots. Returns the boxes of groups of higher ranks that overlap this group's. In a write, those
// groups' data stay, and this group must not write there. Unless some bounding boxes overlap, only these are
// exchanged.
Result<std::vector<Box>> boxes_of_later_groups(const Layout& layout, const std::vector<Box>& mine,
                                               size_t ndims) {
  const auto bounds = gather_boxes(layout.io, mine.empty() ? Box::nothing(ndims) : bounding_box(mine));
  if (!bounds) return bounds.error();
  if (!any_meet(*bounds)) return std::vector<Box>();
  const auto lists = gather_lists(layout.io, mine, ndims);
  if (!lists) return lists.error();
  std::vector<Box> later;
  for (size_t group = static_cast<size_t>(layout.group) + 1; group < lists->size(); ++group) {
    for (const Box& box : (*lists)[group]) {
      if (std::any_of(mine.begin(), mine.end(), [&](const Box& own) { return meet(own, box); }))
        later.push_back(box);
    }
  }
  return later;
}

Status share_boxes(MPI_Comm comm, std::vector<Box>& boxes, size_t ndims) {
  std::vector<int64_t> numbers = numbers_of(boxes);
  auto count = static_cast<int64_t>(numbers.size());
  if (Status status = told(comm, &count, 1); !status) return status;
  if (count == 0) return {};
  numbers.resize(static_cast<size_t>(count));
  if (Status status = told(comm, numbers.data(), static_cast<int>(count)); !status) return status;
  boxes = boxes_of(numbers, ndims);
  return {};
}

std::vector<Slab> cut_into_slabs(const Transfer& transfer, const std::vector<Box>& boxes) {
  if (boxes.empty()) return {};
  const int64_t most = transfer.buffer_bytes - Buffer::overhead_bytes;
  const bool contiguous = transfer.chunk.empty() &&
                          std::all_of(boxes.begin(), boxes.end(),
                                      [&](const Box& box) { return contiguous_in(box, transfer.extents); });
  // The buffer holds two slabs at a time.
  const int64_t most_cells =
      std::min(contiguous ? small_slab_bytes : most_bytes_a_slab, most / 2) / transfer.cell_bytes;
  if (transfer.whole_windows) return cut_boxes(boxes, most_cells, transfer.chunk);
  const Box bounds = bounding_box(boxes);
  if (boxes.size() <= most_boxes_a_selection &&
      bounds.cells() <= std::min(small_slab_bytes, most) / transfer.cell_bytes)
    return {{bounds, boxes}};
  return slabs_of(boxes, most_cells, transfer.chunk);
}

}  // namespace

Result<SlabPlan> plan_slabs(const Transfer& transfer, const Box& block) {
  const Layout& layout = transfer.layout;
  auto blocks = gather_boxes(layout.local, block);
  if (!blocks) return blocks.error();
  SlabPlan plan;
  std::vector<Box> all;
  if (transfer.write) {
    plan.parts = without_later(*blocks);
    for (const auto& parts : plan.parts) all.insert(all.end(), parts.begin(), parts.end());
    all = consolidated(all);
    if (layout.groups > 1) {
      std::vector<Box> later;
      if (layout.is_root()) {
        auto found = boxes_of_later_groups(layout, all, block.ndims());
        if (!found) return found.error();
        later = std::move(*found);
      }
      if (Status status = share_boxes(layout.local, later, block.ndims()); !status) return status.error();
      if (!later.empty()) {
        for (auto& parts : plan.parts) parts = without(std::move(parts), later);
        all = consolidated(without(std::move(all), later));
      }
    }
  } else {
    for (const Box& each : *blocks)
      plan.parts.push_back(each.empty() ? std::vector<Box>() : std::vector<Box>{each});
    all = consolidated(*blocks);
    if (layout.groups > 1 && layout.is_root()) {
      const auto found = boxes_of_later_groups(layout, all, block.ndims());
      if (!found) return found.error();
      plan.meets_others = !found->empty();
    }
  }
  plan.direct = layout.local_ranks == 1 && all.size() == 1 && all.front() == block;
  // A transfer without a buffer is cut only because of the limit of one call of HDF5.
  plan.slabs = plan.direct ? cut_boxes(all, most_bytes_a_slab / transfer.cell_bytes, {})
                           : cut_into_slabs(transfer, all);
  return plan;
}

}  // namespace concilio::scorpio
