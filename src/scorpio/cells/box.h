// Boxes of cells in n-dimensional arrays. I/O groups divide and join their ranks' blocks with them. This
// needs neither MPI nor HDF5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace concilio::scorpio {

// The cells with start[d] <= i[d] < start[d] + count[d]. The slowest varying dimension comes first.
struct Box {
  std::vector<int64_t> start, count;

  static Box whole(const std::vector<int64_t>& extents) {
    return {std::vector<int64_t>(extents.size()), extents};
  }
  static Box nothing(size_t ndims) { return {std::vector<int64_t>(ndims), std::vector<int64_t>(ndims)}; }
  size_t ndims() const { return start.size(); }
  bool empty() const;
  int64_t cells() const;  // at most the largest int64_t
  int64_t end(size_t d) const { return start[d] + count[d]; }
  bool contains(const Box& other) const;
  bool operator==(const Box&) const = default;
};

// Returns the cells that both boxes have. If there are none, a count is 0.
Box intersection(const Box& a, const Box& b);
// Whether the boxes have a cell in common.
bool meet(const Box& a, const Box& b);
// Whether any two of the boxes have a cell in common.
bool any_meet(const std::vector<Box>& boxes);
Box bounding_box(const std::vector<Box>& boxes);  // of at least one box

// Returns the cells of `a` that are not in `b`, as at most 2n disjoint boxes.
std::vector<Box> difference(const Box& a, const Box& b);
// Returns the cells of `boxes` that are in none of `holes`.
std::vector<Box> without(std::vector<Box> boxes, const std::vector<Box>& holes);

// Returns disjoint boxes with the same cells as `boxes`, which may overlap and be empty. Neighbours that form
// one box are joined, along the fastest varying dimension first, since its cells are contiguous in a file.
std::vector<Box> consolidated(const std::vector<Box>& boxes);

// For writes: returns what every rank's block keeps when the later of two overlapping blocks wins. The
// results are disjoint.
std::vector<std::vector<Box>> without_later(const std::vector<Box>& blocks);

// The part of an array that one transfer moves: the cells of `boxes`, all of them within `window`.
struct Slab {
  Box window;
  std::vector<Box> boxes;
  bool full() const { return boxes.size() == 1 && boxes.front() == window; }
};

// Cuts disjoint boxes of an array into slabs whose windows have at most `most_cells` (>= 1) cells. The
// windows are pieces of single boxes, or of the bounding box, whichever gives fewer. `granule` has the
// extents of a chunk, or is empty. Cuts lie at multiples of it if that leaves windows of a granule or more.
std::vector<Slab> slabs_of(const std::vector<Box>& boxes, int64_t most_cells,
                           const std::vector<int64_t>& granule);

// The same with pieces of single boxes only, so that all windows are full.
std::vector<Slab> cut_boxes(const std::vector<Box>& boxes, int64_t most_cells,
                            const std::vector<int64_t>& granule);

// Whether the box's cells follow each other without a gap in an array of these extents in C order.
bool contiguous_in(const Box& box, const std::vector<int64_t>& extents);

}  // namespace concilio::scorpio
